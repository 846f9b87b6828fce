//! Merging of documents.

use serde_json::{Map, Value};

use crate::openapi::document::{Document, PathMember};

impl<'d> Document<'d> {
    /// Adds the paths, components and tags of another document, as that of utoipa or aide for the application's own
    /// routes. Where both have the same part, that of the api is kept.
    pub(super) fn merge(&mut self, other: &'d Value) {
        for (path, members) in members_of(other.get("paths")) {
            let path = self.paths.entry(path.clone()).or_default();
            for (name, member) in members_of(Some(members)) {
                path.0.entry(name.clone()).or_insert(PathMember::Merged(member));
            }
        }
        for (kind, parts) in members_of(other.get("components")) {
            let kind = self.components.entry(kind);
            let kind = kind.or_insert_with(|| Value::Object(Map::new()));
            for (name, part) in members_of(Some(parts)) {
                if let Value::Object(known) = kind {
                    known.entry(name).or_insert_with(|| part.clone());
                }
            }
        }
        let tags = other.get("tags").and_then(Value::as_array);
        for tag in tags.into_iter().flatten() {
            if !self.tags.iter().any(|known| known.get("name") == tag.get("name")) {
                self.tags.push(tag.clone());
            }
        }
    }
}

/// Members of an object; none of anything else.
fn members_of(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}
