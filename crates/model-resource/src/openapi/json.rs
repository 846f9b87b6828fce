//! Small constructors of JSON.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Media type of JSON.
pub(super) const JSON: &str = "application/json";

/// Reference to a shared part of the document, such as `#/components/schemas/Article`.
#[derive(Clone, Copy)]
pub(super) struct Reference<'n> {
    kind: &'static str,
    name: &'n str,
}

impl<'n> Reference<'n> {
    pub(super) fn new(kind: &'static str, name: &'n str) -> Self {
        Self { kind, name }
    }
}

impl Serialize for Reference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(1))?;
        members.serialize_entry("$ref", &format_args!("#/components/{}/{}", self.kind, self.name))?;
        members.end()
    }
}

/// Reference to a shared schema.
pub(super) fn schema_reference(name: &str) -> Value {
    let target = format!("#/components/schemas/{name}");
    Value::Object(Map::from_iter([("$ref".to_owned(), target.into())]))
}

/// Members of an object.
pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}
