//! Data model of model-resource, without HTTP and SQL: values, columns, models, drafts and serializers.
//!
//! This crate is an internal part of model-resource: applications use it as `model_resource::schema`, and by the names
//! that `model_resource` exports. Other items may change in any version.

pub mod calendar;
mod calendar_text;
#[cfg(any(feature = "chrono", feature = "time"))]
mod calendar_types;
mod client_column;
pub mod clock;
pub mod column;
mod column_builder;
mod column_docs;
pub mod column_group;
mod column_options;
mod column_role;
pub mod column_type;
pub mod constraints;
#[cfg(feature = "csv")]
pub mod csv;
pub mod data_type;
mod document;
pub mod draft;
pub mod errors;
pub mod json;
pub mod json_column;
pub mod message;
pub mod messages;
pub mod model;
pub mod naming;
pub mod parameter;
pub mod query;
pub mod relation;
pub mod serializer;
mod table_checks;
pub mod table_constraints;
mod table_name;
pub mod transitions;
pub mod value;
