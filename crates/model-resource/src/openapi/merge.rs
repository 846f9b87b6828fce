//! Parts of other documents, as those of utoipa or aide for the application's own routes. Where both have the same part,
//! that of the api is kept.

use serde_json::{Map, Value};

use crate::openapi::json_writer::JsonObjectWriter;

/// Paths of another document.
pub(super) fn paths(other: &Value) -> impl Iterator<Item = &str> {
    members_of(other.get("paths")).map(|(path, _)| path.as_str())
}

/// Writes the members of a path that other documents have and that are not known.
pub(super) fn write_members(
    others: &[Value],
    path: &str,
    known: &mut Vec<String>,
    members: &mut JsonObjectWriter<'_>,
) {
    let others = others.iter().filter_map(|other| other.get("paths")?.get(path));
    for (name, member) in others.flat_map(|other| members_of(Some(other))) {
        if !known.contains(name) {
            known.push(name.clone());
            members.member(name, member);
        }
    }
}

/// Components of another document by kind.
pub(super) fn components(other: &Value) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
    let kinds = members_of(other.get("components"));
    kinds.filter_map(|(kind, parts)| Some((kind.as_str(), parts.as_object()?)))
}

/// Tags of another document.
pub(super) fn tags(other: &Value) -> impl Iterator<Item = &Value> {
    other.get("tags").and_then(Value::as_array).into_iter().flatten()
}

/// Members of an object; none of anything else.
fn members_of(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}
