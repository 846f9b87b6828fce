//! The requirements of `docs/requirements.md`, each through a real socket and a real database file.
//!
//! One file for each heading; each test names the ids it is about.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod api_constructor;
mod api_methods;
mod choosing_the_operation;
mod model_resource_attributes;
mod operation_constants;
mod serializers;
mod what_the_service_does;
