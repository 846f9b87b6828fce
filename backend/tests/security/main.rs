//! Who may do what: callers, policies, and what is denied where nothing is said.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/mod.rs"]
mod support;

mod addresses;
mod cors;
mod denied;
mod headers;
mod policies;
mod throttling;
