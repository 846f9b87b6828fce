//! Components of a document: parts that operations refer to, by kind and name. They are kept as text, which takes a tenth
//! of the memory of a tree of JSON values.

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::openapi::json_writer::{JsonObjectWriter, text};

/// Texts of the components of one kind by name.
pub(super) type ComponentTexts = IndexMap<String, Box<[u8]>, RandomState>;

/// Components of a document by kind.
#[derive(Default)]
pub(super) struct DocumentComponents(IndexMap<String, ComponentTexts, RandomState>);

impl DocumentComponents {
    /// Adds the components of a kind.
    pub(super) fn add(&mut self, kind: &str, parts: ComponentTexts) {
        if !parts.is_empty() {
            self.0.entry(kind.to_owned()).or_default().extend(parts);
        }
    }

    /// Adds the components of a kind that are not known.
    pub(super) fn merge(&mut self, kind: &str, parts: &Map<String, Value>) {
        let known = self.0.entry(kind.to_owned()).or_default();
        for (name, part) in parts {
            known.entry(name.clone()).or_insert_with(|| text(part).into());
        }
    }

    pub(super) fn write(&self, components: &mut JsonObjectWriter<'_>) {
        for (kind, parts) in &self.0 {
            components.object(kind, |members| {
                for (name, part) in parts {
                    members.with(name, |out| out.extend_from_slice(part));
                }
            });
        }
    }
}

/// Texts of values.
pub(super) fn texts(parts: impl IntoIterator<Item = (String, Value)>) -> ComponentTexts {
    let parts = parts.into_iter();
    parts.map(|(name, part)| (name, text(&part).into())).collect()
}
