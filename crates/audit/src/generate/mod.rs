//! Valid values, generated from columns, constraints and JSON Schemas.

mod json_schema;
mod pattern;
mod values;

pub(crate) use json_schema::SchemaValues;
pub(crate) use values::{ValueSource, to_json};
