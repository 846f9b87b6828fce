//! Attacks and faults known from similar services, tested against the running server.
//!
//! After every rejected write the rows are read directly from the database, and must be unchanged.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/serve.rs"]
mod serve;
#[path = "../support/mod.rs"]
mod support;

mod credentials;
mod faults;
mod forged_bodies;
mod hidden_columns;
mod large_bodies;
mod methods_and_headers;
mod random_bodies;
mod sample_data;
mod slow_clients;
