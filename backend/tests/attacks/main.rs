//! Attacks and faults that services of this kind have fallen to, each against the running server.
//!
//! After every rejected write the stored rows are read again, past the server, and must be what they were.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

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
