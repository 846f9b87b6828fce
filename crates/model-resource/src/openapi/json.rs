//! Small constructors of JSON.

use serde_json::{Map, Value};

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
    members_of([("$ref", format!("#/components/{kind}/{name}").into())])
}

/// Reference to a shared schema.
pub(super) fn schema_reference(name: &str) -> Value {
    reference("schemas", name)
}

/// Object with these members, which unlike those of `json!` are not copied.
pub(super) fn members_of<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members.into_iter();
    Value::Object(members.map(|(name, value)| (name.to_owned(), value)).collect())
}
