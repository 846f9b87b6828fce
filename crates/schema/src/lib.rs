//! Data model of model-resource, without HTTP and SQL: values, columns, models, drafts and serializers.

pub mod calendar;
mod calendar_text;
mod client_column;
pub mod column;
mod column_builder;
mod column_docs;
mod column_options;
pub mod column_type;
pub mod constraints;
pub mod csv;
pub mod data_type;
mod document;
pub mod draft;
pub mod errors;
pub mod json;
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
pub mod transitions;
pub mod value;
