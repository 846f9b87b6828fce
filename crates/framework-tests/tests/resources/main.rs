//! Resources and views: registration, operations, loading decorators and responses, over real sockets and a real database.
//!
//! The files are named after the headings of `docs/reference/requirements.md`; each test names the ids it covers.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod after_commit;
mod api_constructor;
mod api_methods;
mod automatic_loading_decorators;
mod calendar_crates;
mod choosing_the_operation;
mod combined_registration;
mod conditional_requests;
mod database_views;
mod default_endpoints;
mod description;
mod disabled_loaders;
mod documentation;
mod driver_code;
mod dry_runs;
mod enum_types;
mod events;
mod handler_schemas;
mod histories;
mod idempotency_keys;
mod key_by_name;
mod model_resource_attributes;
mod note;
mod operation_constants;
mod opposite_write_orders;
mod patch_formats;
mod preferences;
mod reply_data;
mod response_handling;
mod response_helpers;
mod schemas;
mod table_constraints;
mod tables;
mod transitions;
mod typed_parameters;
mod unique_columns;
mod unserved_models;
mod upserts;
mod versioning;
mod writes_beside_searches;
