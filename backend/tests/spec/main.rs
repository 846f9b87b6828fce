//! The requirements of `docs/requirements.md`, each through a real socket and a real database file.
//!
//! One file for each heading; each test names the ids it is about.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/mod.rs"]
mod support;

mod authentication;
mod choosing_the_operation;
mod errors;
mod known_faults;
mod limits;
