//! Lists: filters, order, search, members, relations and pages, each against the running server.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/mod.rs"]
mod support;

mod filters;
mod members;
mod names;
mod oracle;
mod paging;
mod random;
mod shelf;
mod simple_rest;
mod sorting;
