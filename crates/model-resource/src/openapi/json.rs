//! Small constructors of JSON.

use serde_json::{Map, Value, json};

/// Media type of JSON.
pub(super) const JSON: &str = "application/json";

/// Members of an object.
pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// Reference to a shared part of the document: `reference("schemas", "Article")`.
pub(super) fn reference(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// Reference to a shared schema.
pub(super) fn schema_reference(name: &str) -> Value {
    reference("schemas", name)
}
