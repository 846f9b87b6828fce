//! Merging of documents.

use serde_json::{Map, Value};

/// Adds the paths, components and tags of another document, as that of utoipa or aide for the application's own routes.
/// Where both have the same part, that of the api is kept.
pub(super) fn merge(document: &mut Map<String, Value>, other: &Value) {
    if let Some(paths) = other.get("paths").and_then(Value::as_object) {
        for (path, operations) in paths {
            add_members(member(document, "paths"), path, operations);
        }
    }
    if let Some(components) = other.get("components").and_then(Value::as_object) {
        for (kind, parts) in components {
            add_members(member(document, "components"), kind, parts);
        }
    }
    let tags = other.get("tags").and_then(Value::as_array);
    let Value::Array(known) = document.entry("tags").or_insert_with(|| Value::Array(Vec::new())) else {
        return;
    };
    for tag in tags.into_iter().flatten() {
        if !known.iter().any(|known| known.get("name") == tag.get("name")) {
            known.push(tag.clone());
        }
    }
}

/// Object among the members of another.
fn member<'d>(document: &'d mut Map<String, Value>, name: &str) -> &'d mut Value {
    document.entry(name).or_insert_with(|| Value::Object(Map::new()))
}

/// Adds the members of a part that are not known.
fn add_members(parts: &mut Value, name: &str, added: &Value) {
    let (Some(parts), Some(added)) = (parts.as_object_mut(), added.as_object()) else {
        return;
    };
    let part = member(parts, name);
    if let Some(part) = part.as_object_mut() {
        for (name, value) in added {
            part.entry(name).or_insert_with(|| value.clone());
        }
    }
}
