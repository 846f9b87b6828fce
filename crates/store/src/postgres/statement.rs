//! The text of a statement and its parameters, put together side by side.

use std::borrow::Cow;
use std::fmt::Write;

use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{JsonKey, Pattern};
use model_resource_schema::value::{Value, ValueRef};

use super::codec::Parameter;
use crate::coerce::{coerce, coerce_for_search};
use crate::error::Result;
use crate::query::AnyQuery;
use crate::quote::{push_identifier, push_identifiers};
use crate::row_key::RowKey;
use crate::sql::{JsonType, SqlWriter, like, write_condition};

/// A statement in the making. Names are quoted, values are bound: neither can become SQL.
pub(super) struct PostgresStatement<'v> {
    sql: Cow<'v, str>,
    parameters: Vec<Parameter<'v>>,
}

impl<'v> PostgresStatement<'v> {
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

    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    pub(super) fn parameters(&self) -> &[Parameter<'v>] {
        &self.parameters
    }

    pub(super) fn words(mut self, words: &str) -> Self {
        self.sql.to_mut().push_str(words);
        self
    }

    pub(super) fn name(mut self, name: &str) -> Self {
        push_identifier(self.sql.to_mut(), name);
        self
    }

    /// Names, with commas between them.
    pub(super) fn names(mut self, names: impl Iterator<Item = &'static str>) -> Self {
        push_identifiers(self.sql.to_mut(), names);
        self
    }

    /// The place of a parameter that is bound next.
    pub(super) fn place(mut self, number: usize) -> Self {
        write!(self.sql.to_mut(), "${number}").expect("writing to a String never fails");
        self
    }

    /// A value to write. One that the column cannot hold is invalid.
    pub(super) fn value(self, column: &Column, value: &'v Value) -> Result<Self> {
        let number = self.parameters.len() + 1;
        self.place(number).bind(column, value)
    }

    /// The same where the text has its place already.
    pub(super) fn bind(self, column: &Column, value: &'v Value) -> Result<Self> {
        Ok(self.bind_one(coerce(column, value)?))
    }

    /// The same for a value to look for. One that the column cannot hold is found nowhere.
    pub(super) fn bind_sought(self, column: &Column, value: &'v Value) -> Result<Self> {
        Ok(self.bind_one(coerce_for_search(column, value)?))
    }

    /// The same for a value that belongs to no column.
    pub(super) fn bind_one(mut self, value: ValueRef<'v>) -> Self {
        self.parameters.push(Parameter::One(value));
        self
    }

    /// The same for all of the values that a column may have.
    pub(super) fn bind_any(mut self, column: &Column, values: &'v [Value]) -> Result<Self> {
        let values = values
            .iter()
            .map(|value| coerce_for_search(column, value).map(Parameter::One));
        self.parameters
            .push(Parameter::Many(values.collect::<Result<_>>()?));
        Ok(self)
    }

    /// A comparison of a column with a value to look for.
    pub(super) fn compare(self, column: &Column, operator: &str, value: &'v Value) -> Result<Self> {
        let number = self.parameters.len() + 1;
        let (statement, cast) = match column.kind {
            // PostgreSQL cannot compare JSON documents, but their texts.
            DataType::Json => (self.name(column.database_name).words("::text"), "::text"),
            _ => (self.name(column.database_name), ""),
        };
        statement
            .words(operator)
            .place(number)
            .words(cast)
            .bind_sought(column, value)
    }

    /// The conditions of a select, after which more can be added.
    pub(super) fn filter(self, select: &'v AnyQuery) -> Result<Self> {
        let (table, condition) = (select.table(), select.condition());
        let statement = select.conditions().iter().try_fold(
            self.words(" WHERE TRUE"),
            |statement, (column, value)| {
                let column = &table.columns[*column];
                let statement = statement.words(" AND ");
                match value {
                    Value::Null => Ok(statement.name(column.database_name).words(" IS NULL")),
                    _ => statement.compare(column, " = ", value),
                }
            },
        )?;
        if condition.is_all() {
            return Ok(statement);
        }
        write_condition(statement.words(" AND "), table, condition)
    }

    /// The place of a value to look for, and the value.
    fn sought(self, column: &Column, value: &'v Value) -> Result<Self> {
        let number = self.parameters.len() + 1;
        self.place(number).bind_sought(column, value)
    }

    /// A text of the statement's own.
    fn own(mut self, text: String) -> Self {
        self.parameters.push(Parameter::Own(text));
        let number = self.parameters.len();
        self.place(number).words("::text")
    }

    /// One more condition on the primary key, such as `=` or `>` this value.
    pub(super) fn and_key(self, table: &Table, operator: &str, key: &'v Value) -> Result<Self> {
        self.words(" AND ").compare(table.key(), operator, key)
    }

    /// The condition that a row has this key.
    pub(super) fn and_row(self, table: &'static Table, key: &'v RowKey) -> Result<Self> {
        self.words(" AND ").compare(key.column(table), " = ", key.value())
    }

    /// The text alone.
    pub(super) fn into_sql(self) -> String {
        self.sql.into_owned()
    }
}

impl<'v> SqlWriter<'v> for PostgresStatement<'v> {
    const BINARY_COLLATION: &'static str = " COLLATE \"C\"";
    const AS_TEXT: &'static str = "::text";
    const AS_DOCUMENT: &'static str = "::json";
    // The planner knows how many rows have a value.
    const LIKELY_SUFFIX: &'static str = ")";

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

    fn in_list(self, column: &Column, values: &'v [Value]) -> Result<Self> {
        let number = self.parameters.len() + 1;
        let statement = self.words(" = ANY(").place(number).bind_any(column, values)?;
        Ok(statement.words(")"))
    }

    /// In the collation "C" nothing but A to Z has small letters.
    fn like(self, pattern: &Pattern, text: impl FnOnce(Self) -> Self) -> Self {
        let statement = if pattern.ignores_case {
            let folded = text(self.words("lower("))
                .words(Self::BINARY_COLLATION)
                .words(")");
            folded.words(" LIKE ").own(like(pattern).to_ascii_lowercase())
        } else {
            let plain = text(self).words(Self::BINARY_COLLATION);
            plain.words(" LIKE ").own(like(pattern))
        };
        statement.words(" ESCAPE '\\'")
    }

    fn json_key(self, key: &JsonKey) -> Self {
        let statement = self.words(" -> ");
        match key {
            JsonKey::Member(name) => statement.own(name.clone()),
            JsonKey::Item(place) => statement.own(place.to_string()).words("::int4"),
        }
    }

    fn json_value(self, ty: JsonType, document: &dyn Fn(Self) -> Self) -> Self {
        let statement = document(self.words("CASE WHEN json_typeof("));
        match ty {
            JsonType::Text => {
                let statement = document(statement.words(") = 'string' THEN ("));
                statement.words(") #>> '{}' END")
            }
            // The cast of a number that no double comes near to is an error: of those that might be one, it is clamped.
            JsonType::Number => {
                let text = |statement: Self| document(statement.words("((")).words(") #>> '{}')");
                let statement = text(statement.words(") = 'number' THEN CASE WHEN "));
                let statement = text(statement.words(" ~ '^[^eE]{1,200}([eE][-+]?[0-9]{1,2})?$' THEN "));
                let statement = text(statement.words("::float8 WHEN length("));
                let statement = text(statement.words(") <= 1000 AND "));
                let statement = text(statement.words(" !~ '[eE][-+]?[0-9]{4}' THEN round(greatest(least("));
                statement.words(
                    "::numeric, 1.7976931348623157e308), -1.7976931348623157e308), 323)::float8 END END",
                )
            }
            JsonType::Bool => {
                let statement = document(statement.words(") = 'boolean' THEN (("));
                statement.words(") #>> '{}') = 'true' END")
            }
        }
    }

    fn bind_json(self, value: &Value) -> Self {
        match value {
            Value::Text(text) => self.own(text.clone()),
            Value::Double(number) => self.own(number.to_string()).words("::float8"),
            Value::Bool(truth) => self.words(if *truth { "TRUE" } else { "FALSE" }),
            _ => self.words("NULL"),
        }
    }

    fn json_not_null(self, document: &dyn Fn(Self) -> Self) -> Self {
        document(self.words("json_typeof(")).words(") <> 'null'")
    }

    /// In the text, since the planner chooses by it.
    fn count(self, count: u64) -> Self {
        self.words(&i64::try_from(count).unwrap_or(i64::MAX).to_string())
    }
}
