//! What the kinds of databases write differently.

use model_resource_schema::column::Column;
use model_resource_schema::query::{JsonKey, Pattern};
use model_resource_schema::value::Value;

use crate::error::Result;
use crate::query::AnyQuery;

/// A statement in the making. Names are quoted, values are bound: neither can become SQL.
pub(crate) trait SqlWriter<'v>: Sized {
    /// What stands behind a text so that it compares by its characters' numbers.
    const BINARY_COLLATION: &'static str;

    /// Converts the column before it to a text, where the database may keep an enum in a type of its own.
    const AS_TEXT: &'static str;

    /// What stands behind a column so that it is a document.
    const AS_DOCUMENT: &'static str;

    /// What ends a condition in parentheses that holds of most rows, so that they are not looked up by an index.
    const LIKELY_SUFFIX: &'static str;

    fn push_sql(self, words: &str) -> Self;

    fn name(self, name: &str) -> Self;

    /// The conditions of a select.
    fn filter(self, select: &'v AnyQuery) -> Result<Self>;

    /// A value to look for in a column. One that the column cannot hold is found nowhere.
    fn bind_for_search(self, column: &Column, value: &'v Value) -> Result<Self>;

    /// That what stands before is one of these.
    fn in_list(self, column: &Column, values: &'v [Value]) -> Result<Self>;

    /// That a text has this shape.
    fn like(self, pattern: &Pattern, text: impl FnOnce(Self) -> Self) -> Self;

    /// A step into the document that stands before.
    fn json_key(self, key: &JsonKey) -> Self;

    /// What a document is if it is of this type, and nothing else. Numbers are doubles, as in most clients.
    fn json_value(self, ty: JsonType, document: &dyn Fn(Self) -> Self) -> Self;

    /// A value to compare that with.
    fn bind_json(self, value: &Value) -> Self;

    /// That a document is there and not null.
    fn json_not_null(self, document: &dyn Fn(Self) -> Self) -> Self;

    /// A number of rows.
    fn count(self, count: u64) -> Self;
}

/// The types of what stands in a document that it can be asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonType {
    Text,
    Number,
    Bool,
}

impl JsonType {
    /// The type of a value that something in a document is compared with.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Bool(_) => Self::Bool,
            Value::Double(_) => Self::Number,
            _ => Self::Text,
        }
    }
}
