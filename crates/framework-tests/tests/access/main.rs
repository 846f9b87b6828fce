//! Access control: policies, guards, and denial by default.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod aggregates;
mod anonymous_presets;
mod computed_fields;
mod custom_operations;
mod denied_by_default;
mod descriptions;
mod explanations;
mod filtered_writes;
mod frozen_columns;
mod function_decorators;
mod guards;
mod handler_rows;
mod hidden_rows;
mod indirect_access;
mod policies;
mod policy_calls;
mod private_columns;
mod readme_users;
mod related_rows;
mod rows_of_hidden_parents;
mod sample_library;
mod soft_delete;
mod url_parameters;
mod written_rows;
