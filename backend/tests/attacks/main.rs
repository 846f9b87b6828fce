//! Attacks and faults that services of this kind have fallen to, each against the running server.
//!
//! After every refused write the stored rows are read again, past the server, and must be what they were.

#[path = "../support/mod.rs"]
mod support;

mod bodies;
mod credentials;
mod faults;
mod http;
mod material;
mod random_bodies;
