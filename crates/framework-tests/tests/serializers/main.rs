//! Serializers: fields, types, checks, hooks and relations.

mod batch_checks;
mod batch_checks_in_parallel;
mod batch_references;
mod caller_checks;
mod checks;
mod column_groups;
mod conversions;
mod decimals;
mod fields;
mod hooks;
mod in_handlers;
mod inputs;
mod keys;
mod linked_presets;
mod linked_writes;
mod messages;
mod names;
mod nested;
mod nested_writes;
mod newtypes;
mod normalization;
mod nulls_and_defaults;
mod relations;
mod required;
mod slugs;
mod typed_columns;
mod typed_documents;
mod wrapped;

use serde_json::{Value, json};
use test_support::Response;

/// Returns the object with one member replaced.
fn with(mut object: Value, field: &str, value: Value) -> Value {
    object[field] = value;
    object
}

/// Asserts a 400 with this one message under a field.
#[track_caller]
fn expect_error(response: Response, field: &str, message: &str) {
    response.expect_json(400, json!({"errors": {field: [message]}}));
}
