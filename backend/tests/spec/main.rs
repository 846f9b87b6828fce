//! Tests of `docs/reference/requirements.md`, over real sockets and a real database.
//!
//! Each heading has a file; each test names the ids it covers.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/serve.rs"]
mod serve;
#[path = "../support/mod.rs"]
mod support;

mod api_prelude;
mod authentication;
mod automatic_loading_decorators;
mod choosing_the_operation;
mod configuration;
mod cursor_secrets;
mod databases;
mod default_endpoints;
mod documentation;
mod errors;
mod http;
mod known_faults;
mod limit_settings;
mod limits;
mod migrations;
mod observed_requests;
mod openapi;
mod operations;
mod rejected_logins;
mod serializers;
mod sqlite_files;
mod states_and_transitions;
mod test_kit;
mod typed_queries;
mod urls;
mod versioning;
mod wrong_clock;
