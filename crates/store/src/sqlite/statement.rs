//! The text of a statement and its parameters, put together side by side.

use std::borrow::Cow;
use std::cell::Cell;

use model_resource_schema::column::{Column, Table};
use model_resource_schema::query::{JsonKey, Pattern};
use model_resource_schema::value::Value;
use rusqlite::types::ToSqlOutput;
use rusqlite::{CachedStatement, Connection, ParamsFromIter};

use super::codec;
use super::error::map_error;
use super::pattern::{Anchor, ambiguous_literal, glob};
use crate::coerce::{coerce, coerce_for_search};
use crate::error::Result;
use crate::query::AnyQuery;
use crate::quote::{push_identifier, push_identifiers};
use crate::row_key::RowKey;
use crate::sql::{JsonType, SqlWriter, like, write_condition};

thread_local! {
    /// So many statements were prepared on this thread and are not counted yet.
    static PREPARED: Cell<u64> = const { Cell::new(0) };
}

/// So many statements were prepared on this thread since this was asked the last time.
pub(super) fn prepared() -> u64 {
    PREPARED.take()
}

/// A statement in the making. Names are quoted, values are bound: neither can become SQL.
pub(super) struct SqliteStatement<'v> {
    sql: Cow<'v, str>,
    parameters: Vec<ToSqlOutput<'v>>,
}

impl<'v> SqliteStatement<'v> {
    /// Begins with these words.
    pub(super) fn new(words: &str) -> Self {
        let mut sql = String::with_capacity(256);
        sql.push_str(words);
        Self {
            sql: Cow::Owned(sql),
            parameters: Vec::new(),
        }
    }

    /// A text that is there already, whose parameters are bound next.
    pub(super) fn ready(sql: &'v str) -> Self {
        Self {
            sql: Cow::Borrowed(sql),
            parameters: Vec::new(),
        }
    }

    pub(super) fn words(mut self, words: &str) -> Self {
        self.sql.to_mut().push_str(words);
        self
    }

    pub(super) fn name(mut self, name: &str) -> Self {
        push_identifier(self.sql.to_mut(), name);
        self
    }

    /// A value of the statement's own.
    fn own(mut self, value: impl Into<rusqlite::types::Value>) -> Self {
        self.parameters.push(ToSqlOutput::Owned(value.into()));
        self.words("?")
    }

    /// Names, with commas between them.
    pub(super) fn names(mut self, names: impl Iterator<Item = &'static str>) -> Self {
        push_identifiers(self.sql.to_mut(), names);
        self
    }

    /// Whatever `item` writes for each of the items, with commas between them.
    pub(super) fn list<I>(
        mut self,
        items: impl IntoIterator<Item = I>,
        mut item: impl FnMut(Self, I) -> Result<Self>,
    ) -> Result<Self> {
        for (count, next) in items.into_iter().enumerate() {
            self = item(self.words(if count > 0 { ", " } else { "" }), next)?;
        }
        Ok(self)
    }

    /// A value to write. One that the column cannot hold is invalid.
    pub(super) fn value(self, column: &Column, value: &'v Value) -> Result<Self> {
        self.words("?").bind(column, value)
    }

    /// The same where the text has its place already.
    pub(super) fn bind(mut self, column: &Column, value: &'v Value) -> Result<Self> {
        self.parameters.push(codec::encode(coerce(column, value)?));
        Ok(self)
    }

    /// A value to look for. One that the column cannot hold is found nowhere.
    pub(super) fn sought(self, column: &Column, value: &'v Value) -> Result<Self> {
        self.words("?").bind_sought(column, value)
    }

    /// The same where the text has its place already.
    pub(super) fn bind_sought(mut self, column: &Column, value: &'v Value) -> Result<Self> {
        self.parameters
            .push(codec::encode(coerce_for_search(column, value)?));
        Ok(self)
    }

    /// The conditions of a select, after which more can be added.
    pub(super) fn filter(self, select: &'v AnyQuery) -> Result<Self> {
        let (table, condition) = (select.table(), select.condition());
        let statement = select.conditions().iter().try_fold(
            self.words(" WHERE TRUE"),
            |statement, (column, value)| {
                let column = &table.columns[*column];
                let statement = statement.words(" AND ").name(column.database_name);
                match value {
                    Value::Null => Ok(statement.words(" IS NULL")),
                    _ => statement.words(" = ").sought(column, value),
                }
            },
        )?;
        if condition.is_all() {
            return Ok(statement);
        }
        write_condition(statement.words(" AND "), table, condition)
    }

    /// One more condition on the primary key, such as `=` or `>` this value.
    pub(super) fn and_key(self, table: &Table, operator: &str, key: &'v Value) -> Result<Self> {
        let column = table.key();
        self.words(" AND ")
            .name(column.database_name)
            .words(operator)
            .sought(column, key)
    }

    /// The condition that a row has this key.
    pub(super) fn and_row(self, table: &'static Table, key: &'v RowKey) -> Result<Self> {
        let column = key.column(table);
        self.words(" AND ")
            .name(column.database_name)
            .words(" = ")
            .sought(column, key.value())
    }

    pub(super) fn prepare<'c>(&self, connection: &'c Connection) -> Result<CachedStatement<'c>> {
        PREPARED.set(PREPARED.get() + 1);
        connection.prepare_cached(&self.sql).map_err(map_error)
    }

    /// That a text stands in another, compared character by character.
    fn has_text(
        self,
        ignores_case: bool,
        place: Anchor,
        sought: &str,
        text: impl FnOnce(Self) -> Self,
    ) -> Self {
        // Nothing but A to Z has small letters for `lower` either.
        let (folded, sought) = match ignores_case {
            true => ("lower(", sought.to_ascii_lowercase()),
            false => ("(", sought.to_owned()),
        };
        let length = i64::try_from(sought.chars().count()).unwrap_or(i64::MAX);
        let text = |statement: Self| text(statement.words(folded)).words(")");
        match place {
            Anchor::Anywhere => text(self.words("instr(")).words(", ").own(sought).words(") > 0"),
            Anchor::Start => {
                let start = text(self.words("substr(")).words(", 1, ").own(length);
                start.words(") = ").own(sought)
            }
            Anchor::End => {
                let end = text(self.words("substr(")).words(", ").own(-length);
                end.words(") = ").own(sought)
            }
            Anchor::Whole => text(self).words(" = ").own(sought),
        }
    }

    /// The text alone.
    pub(super) fn into_sql(self) -> String {
        self.sql.into_owned()
    }

    pub(super) fn parameters(&self) -> ParamsFromIter<&[ToSqlOutput<'v>]> {
        rusqlite::params_from_iter(self.parameters.as_slice())
    }
}

impl<'v> SqlWriter<'v> for SqliteStatement<'v> {
    const BINARY_COLLATION: &'static str = "";
    const AS_TEXT: &'static str = "";
    const AS_DOCUMENT: &'static str = "";
    const LIKELY_SUFFIX: &'static str = ") IS TRUE";

    fn push_sql(self, words: &str) -> Self {
        self.words(words)
    }

    fn name(self, name: &str) -> Self {
        self.name(name)
    }

    fn filter(self, select: &'v AnyQuery) -> Result<Self> {
        self.filter(select)
    }

    fn bind_for_search(self, column: &Column, value: &'v Value) -> Result<Self> {
        self.sought(column, value)
    }

    /// The last value is repeated up to a power of two, so that few texts serve all numbers of values and stay prepared.
    fn in_list(self, column: &Column, values: &'v [Value]) -> Result<Self> {
        let padding = values.len().next_power_of_two() - values.len();
        let padded = values
            .iter()
            .chain(std::iter::repeat_n(&values[values.len() - 1], padding));
        let statement = self.words(" IN (");
        Ok(statement
            .list(padded, |statement, value| statement.sought(column, value))?
            .words(")"))
    }

    /// GLOB tells capitals from others, LIKE does not. Both may use an index, and confuse a few characters.
    fn like(self, pattern: &Pattern, text: impl FnOnce(Self) -> Self) -> Self {
        if let Some((place, sought)) = ambiguous_literal(pattern) {
            return self.has_text(pattern.ignores_case, place, sought, text);
        }
        if pattern.ignores_case {
            let statement = text(self).words(" LIKE ").own(like(pattern));
            statement.words(" ESCAPE '\\'")
        } else {
            text(self).words(" GLOB ").own(glob(pattern))
        }
    }

    fn json_key(self, key: &JsonKey) -> Self {
        let statement = self.words(" -> ");
        match key {
            JsonKey::Member(name) => statement.own(name.clone()),
            JsonKey::Item(place) => statement.own(*place),
        }
    }

    fn json_value(self, ty: JsonType, document: &dyn Fn(Self) -> Self) -> Self {
        let statement = document(self.words("CASE json_type(")).words(") ");
        match ty {
            JsonType::Text => document(statement.words("WHEN 'text' THEN ")).words(" ->> '$' END"),
            JsonType::Number => {
                let statement = document(statement.words("WHEN 'integer' THEN CAST("));
                let statement = document(statement.words(" ->> '$' AS REAL) WHEN 'real' THEN "));
                statement.words(" ->> '$' END")
            }
            JsonType::Bool => statement.words("WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"),
        }
    }

    fn bind_json(self, value: &Value) -> Self {
        match value {
            Value::Text(text) => self.own(text.clone()),
            Value::Double(number) => self.own(*number),
            Value::Bool(truth) => self.own(*truth),
            _ => self.words("NULL"),
        }
    }

    fn json_not_null(self, document: &dyn Fn(Self) -> Self) -> Self {
        document(self.words("json_type(")).words(") <> 'null'")
    }

    fn count(self, count: u64) -> Self {
        self.own(i64::try_from(count).unwrap_or(i64::MAX))
    }
}
