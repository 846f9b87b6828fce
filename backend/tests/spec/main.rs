//! The requirements of `docs/requirements.md`, each through a real socket and a real database file.
//!
//! One file for each heading; each test names the ids it is about.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod automatic_loading_decorators;
mod choosing_the_operation;
mod default_endpoints;
mod response_handling;
mod response_helpers;
mod states_and_transitions;
mod urls;
mod versioning;
