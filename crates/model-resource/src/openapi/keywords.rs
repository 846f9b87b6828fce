//! Keywords of a JSON Schema.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::Value;

/// Keywords of a schema in their order. There are few, so they are found without hashing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SchemaKeywords(Vec<(Cow<'static, str>, Value)>);

impl SchemaKeywords {
    /// Keyword `type`.
    pub(super) fn of_type(name: &str) -> Self {
        Self::default().with("type", name)
    }

    /// Adds or replaces a keyword.
    pub(super) fn with(mut self, keyword: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.set(keyword, value);
        self
    }

    /// Adds or replaces a keyword.
    pub(super) fn set(&mut self, keyword: impl Into<Cow<'static, str>>, value: impl Into<Value>) {
        let (keyword, value) = (keyword.into(), value.into());
        match self.get_mut(&keyword) {
            Some(known) => *known = value,
            None => self.0.push((keyword, value)),
        }
    }

    /// Takes a keyword out.
    pub(super) fn take(&mut self, keyword: &str) -> Option<Value> {
        let position = self.0.iter().position(|(known, _)| known == keyword)?;
        Some(self.0.remove(position).1)
    }

    pub(super) fn get_mut(&mut self, keyword: &str) -> Option<&mut Value> {
        let mut keywords = self.0.iter_mut();
        keywords
            .find(|(known, _)| known == keyword)
            .map(|(_, value)| value)
    }
}

/// Keywords of a schema; none of `true`, which accepts any value.
impl From<&Value> for SchemaKeywords {
    fn from(schema: &Value) -> Self {
        let members = schema.as_object().into_iter().flatten();
        Self(
            members
                .map(|(name, value)| (Cow::Owned(name.clone()), value.clone()))
                .collect(),
        )
    }
}

impl Serialize for SchemaKeywords {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(keyword, value)| (keyword, value)))
    }
}

impl From<SchemaKeywords> for Value {
    fn from(schema: SchemaKeywords) -> Self {
        let keywords = schema.0.into_iter();
        Self::Object(
            keywords
                .map(|(keyword, value)| (keyword.into_owned(), value))
                .collect(),
        )
    }
}
