//! Tests of `docs/reference/requirements.md`, over real sockets and a real database.
//!
//! Each heading has a file; each test names the ids it covers.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/mod.rs"]
mod support;

mod api_constructor;
mod api_methods;
mod authentication;
mod automatic_loading_decorators;
mod choosing_the_operation;
mod contrary_orders;
mod databases;
mod default_endpoints;
mod documentation;
mod errors;
mod http;
mod in_axum;
mod known_faults;
mod limits;
mod loaders_disabled;
mod model_resource_attributes;
mod one_registration;
mod operation_constants;
mod own_representations;
mod reply_data;
mod response_handling;
mod response_helpers;
mod serializers;
mod serializers_in_handlers;
mod states_and_transitions;
mod tables;
mod typed_queries;
mod unique_columns;
mod urls;
mod versioning;
mod what_the_service_does;
