//! A statement builder for SQL text and its parameters.

use std::borrow::Cow;
use std::fmt::Write;

use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{JsonKey, Pattern};
use model_resource_schema::value::{Value, ValueRef};

use super::codec::Parameter;
use crate::coerce::{coerce, coerce_for_search};
use crate::error::Result;
use crate::quote::{push_identifier, push_identifiers};
use crate::row_key::RowKey;
use crate::sql::{JsonType, SqlWriter, like, write_condition};
use model_resource_schema::query::AnyQuery;

/// A statement being built. Identifiers are quoted and values are bound, so neither can inject SQL.
pub(super) struct PostgresStatement<'v> {
    sql: Cow<'v, str>,
    parameters: Vec<Parameter<'v>>,
}

impl<'v> PostgresStatement<'v> {
    /// Starts a statement with this SQL.
    pub(super) fn new(start: &str) -> Self {
        let mut sql = String::with_capacity(256);
        sql.push_str(start);
        Self {
            sql: Cow::Owned(sql),
            parameters: Vec::new(),
        }
    }

    /// Wraps complete SQL whose parameters are bound next.
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

    pub(super) fn push_sql(mut self, sql: &str) -> Self {
        self.sql.to_mut().push_str(sql);
        self
    }

    pub(super) fn name(mut self, name: &str) -> Self {
        push_identifier(self.sql.to_mut(), name);
        self
    }

    /// Appends quoted identifiers, separated by commas.
    pub(super) fn names(mut self, names: impl Iterator<Item = &'static str>) -> Self {
        push_identifiers(self.sql.to_mut(), names);
        self
    }

    /// Appends the placeholder `$number`, whose value is bound separately.
    pub(super) fn place(mut self, number: usize) -> Self {
        write!(self.sql.to_mut(), "${number}").expect("writing to a String never fails");
        self
    }

    /// Appends a placeholder and binds a value to write. Fails if the column cannot store it.
    pub(super) fn value(self, column: &Column, value: &'v Value) -> Result<Self> {
        let number = self.parameters.len() + 1;
        self.place(number).bind(column, value)
    }

    /// Binds a value to write to an existing placeholder.
    pub(super) fn bind(self, column: &Column, value: &'v Value) -> Result<Self> {
        Ok(self.bind_one(coerce(column, value)?))
    }

    /// Binds a value to search for to an existing placeholder. A value that the column cannot store matches nothing.
    pub(super) fn bind_search(self, column: &Column, value: &'v Value) -> Result<Self> {
        Ok(self.bind_one(coerce_for_search(column, value)?))
    }

    /// Binds a value without a column to an existing placeholder.
    pub(super) fn bind_one(mut self, value: ValueRef<'v>) -> Self {
        self.parameters.push(Parameter::One(value));
        self
    }

    /// Binds a value of handwritten SQL to an existing placeholder.
    pub(super) fn bind_raw(mut self, value: ValueRef<'v>) -> Self {
        self.parameters.push(Parameter::Raw(value));
        self
    }

    /// Binds an array of a column's values to an existing placeholder.
    pub(super) fn bind_any(mut self, column: &Column, values: &'v [Value]) -> Result<Self> {
        let values = values
            .iter()
            .map(|value| coerce_for_search(column, value).map(Parameter::One));
        self.parameters
            .push(Parameter::Many(values.collect::<Result<_>>()?));
        Ok(self)
    }

    /// Appends a comparison of a column with a value to search for.
    pub(super) fn compare(self, column: &Column, operator: &str, value: &'v Value) -> Result<Self> {
        let number = self.parameters.len() + 1;
        let (statement, cast) = match column.data_type {
            // PostgreSQL cannot compare JSON documents, so their table_sql are compared.
            DataType::Json => (self.name(column.database_name).push_sql("::text"), "::text"),
            _ => (self.name(column.database_name), ""),
        };
        statement
            .push_sql(operator)
            .place(number)
            .push_sql(cast)
            .bind_search(column, value)
    }

    /// Appends the WHERE clause of a query, to which conditions can be added.
    pub(super) fn filter(self, select: &'v AnyQuery) -> Result<Self> {
        let (table, condition) = (select.table(), select.condition());
        let statement = select.conditions().iter().try_fold(
            self.push_sql(" WHERE TRUE"),
            |statement, (column, value)| {
                let column = &table.columns[*column];
                let statement = statement.push_sql(" AND ");
                match value {
                    Value::Null => Ok(statement.name(column.database_name).push_sql(" IS NULL")),
                    _ => statement.compare(column, " = ", value),
                }
            },
        )?;
        if condition.is_all() {
            return Ok(statement);
        }
        write_condition(statement.push_sql(" AND "), table, condition)
    }

    /// Appends a placeholder and binds a value to search for.
    fn bind_for_search(self, column: &Column, value: &'v Value) -> Result<Self> {
        let number = self.parameters.len() + 1;
        self.place(number).bind_search(column, value)
    }

    /// Binds an owned text.
    fn own(mut self, text: String) -> Self {
        self.parameters.push(Parameter::Own(text));
        let number = self.parameters.len();
        self.place(number).push_sql("::text")
    }

    /// Appends a condition on the primary key with an operator such as `=` or `>`.
    pub(super) fn and_key(self, table: &Table, operator: &str, key: &'v Value) -> Result<Self> {
        self.push_sql(" AND ").compare(table.key(), operator, key)
    }

    /// Appends the condition that a row has this key.
    pub(super) fn and_row(self, table: &'static Table, key: &'v RowKey) -> Result<Self> {
        self.push_sql(" AND ")
            .compare(key.column(table), " = ", key.value())
    }

    /// Returns the SQL without its parameters.
    pub(super) fn into_sql(self) -> String {
        self.sql.into_owned()
    }
}

impl<'v> SqlWriter<'v> for PostgresStatement<'v> {
    const BINARY_COLLATION: &'static str = " COLLATE \"C\"";
    const AS_TEXT: &'static str = "::text";
    const AS_DOCUMENT: &'static str = "::json";
    // PostgreSQL's planner knows the selectivity from its statistics.
    const LIKELY_SUFFIX: &'static str = ")";

    fn push_sql(self, sql: &str) -> Self {
        self.push_sql(sql)
    }

    fn name(self, name: &str) -> Self {
        self.name(name)
    }

    fn filter(self, select: &'v AnyQuery) -> Result<Self> {
        self.filter(select)
    }

    fn bind_for_search(self, column: &Column, value: &'v Value) -> Result<Self> {
        self.bind_for_search(column, value)
    }

    fn in_list(self, column: &Column, values: &'v [Value]) -> Result<Self> {
        let number = self.parameters.len() + 1;
        let statement = self.push_sql(" = ANY(").place(number).bind_any(column, values)?;
        Ok(statement.push_sql(")"))
    }

    /// Lowercases in collation "C", which folds A to Z only.
    fn like(self, pattern: &Pattern, text: impl FnOnce(Self) -> Self) -> Self {
        let statement = if pattern.ignores_case {
            let folded = text(self.push_sql("lower("))
                .push_sql(Self::BINARY_COLLATION)
                .push_sql(")");
            folded.push_sql(" LIKE ").own(like(pattern).to_ascii_lowercase())
        } else {
            let plain = text(self).push_sql(Self::BINARY_COLLATION);
            plain.push_sql(" LIKE ").own(like(pattern))
        };
        statement.push_sql(" ESCAPE '\\'")
    }

    fn json_key(self, key: &JsonKey) -> Self {
        let statement = self.push_sql(" -> ");
        match key {
            JsonKey::Member(name) => statement.own(name.clone()),
            JsonKey::Item(place) => statement.own(place.to_string()).push_sql("::int4"),
        }
    }

    fn json_value(self, ty: JsonType, document: &dyn Fn(Self) -> Self) -> Self {
        let statement = document(self.push_sql("CASE WHEN json_typeof("));
        match ty {
            JsonType::Text => {
                let statement = document(statement.push_sql(") = 'string' THEN ("));
                statement.push_sql(") #>> '{}' END")
            }
            // Casting a number outside the range of doubles is an error, so numbers are clamped first.
            JsonType::Number => {
                let text = |statement: Self| document(statement.push_sql("((")).push_sql(") #>> '{}')");
                let statement = text(statement.push_sql(") = 'number' THEN CASE WHEN "));
                let statement = text(statement.push_sql(" ~ '^[^eE]{1,200}([eE][-+]?[0-9]{1,2})?$' THEN "));
                let statement = text(statement.push_sql("::float8 WHEN length("));
                let statement = text(statement.push_sql(") <= 1000 AND "));
                let statement =
                    text(statement.push_sql(" !~ '[eE][-+]?[0-9]{4}' THEN round(greatest(least("));
                statement.push_sql(
                    "::numeric, 1.7976931348623157e308), -1.7976931348623157e308), 323)::float8 END END",
                )
            }
            JsonType::Bool => {
                let statement = document(statement.push_sql(") = 'boolean' THEN (("));
                statement.push_sql(") #>> '{}') = 'true' END")
            }
        }
    }

    fn bind_json(self, value: &Value) -> Self {
        match value {
            Value::Text(text) => self.own(text.clone()),
            Value::Double(number) => self.own(number.to_string()).push_sql("::float8"),
            Value::Bool(truth) => self.push_sql(if *truth { "TRUE" } else { "FALSE" }),
            _ => self.push_sql("NULL"),
        }
    }

    fn json_not_null(self, document: &dyn Fn(Self) -> Self) -> Self {
        document(self.push_sql("json_typeof(")).push_sql(") <> 'null'")
    }

    /// Written as a literal, since the planner takes it into account.
    fn count(self, count: u64) -> Self {
        self.push_sql(&i64::try_from(count).unwrap_or(i64::MAX).to_string())
    }
}
