//! HTTP: errors, headers, content negotiation, rate limits, and the api inside an axum router.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod anonymous_writes;
mod axum_integration;
mod client_addresses;
mod compression;
mod cors;
mod disconnected_clients;
mod errors;
mod header_injection;
mod known_faults;
mod panics;
mod rate_limits;
mod representations;
mod security_headers;
mod server;
mod slow_statements;
mod timeouts;
