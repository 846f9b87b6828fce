//! Attacks and faults known from similar services, tested against the running server.
//!
//! After every rejected write the rows are read directly from the database, and must be unchanged.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/serve.rs"]
mod serve;
#[path = "../support/mod.rs"]
mod support;

mod bodies;
mod credentials;
mod faults;
mod gone_clients;
mod hidden_names;
mod http;
mod large_bodies;
mod material;
mod random_bodies;
mod slow_clients;
