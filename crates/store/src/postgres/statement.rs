//! A statement builder for SQL text and its parameters.

use std::borrow::Cow;
use std::fmt::Write;

use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{AnyWhere, CalendarUnit, JsonKey, Pattern};
use model_resource_schema::value::{Value, ValueRef};
use rust_decimal::Decimal;

use super::codec::Parameter;
use crate::coerce::{coerce, coerce_for_search};
use crate::error::Result;
use crate::sql::document_members::{DocumentMembers, shared_members};
use crate::sql::quote::{push_identifier, push_qualified, push_quoted, qualified_name};
use crate::sql::{JsonType, SqlWriter, like};

/// Alias of the members of a document. No table of a model has a space in its name.
const MEMBERS: &str = "members of a document";

/// A statement being built. Identifiers are quoted and values are bound, so neither can inject SQL.
pub(super) struct PostgresStatement<'v> {
    sql: Cow<'v, str>,
    parameters: Vec<Parameter<'v>>,
    table: Option<&'static str>,
    /// Columns and members of their documents that are extracted, in the order of their numbers.
    members: Vec<(&'static str, String)>,
}

impl<'v> PostgresStatement<'v> {
    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    pub(super) fn parameters(&self) -> &[Parameter<'v>] {
        &self.parameters
    }

    /// Table that the statement is about, if it is known.
    pub(super) fn table(&self) -> Option<&'static str> {
        self.table
    }

    /// Sets the table that the statement is about.
    pub(super) fn about(mut self, table: &'static Table) -> Self {
        self.table = Some(table.name);
        self
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

    /// Appends a subquery that parses the document of a row and has a column for each member. Other documents than
    /// objects have no members.
    fn extract(mut self, table: &'static Table, documents: &DocumentMembers<'_>) -> Self {
        let column = documents.column.database_name;
        let document = |statement: Self| {
            let statement = statement.table(table).push_sql(".").name(column);
            statement.push_sql(Self::AS_DOCUMENT)
        };
        self = self.push_sql(" CROSS JOIN LATERAL (SELECT ");
        for (count, name) in documents.names.iter().enumerate() {
            self.members.push((column, (*name).to_owned()));
            let member = member_name(self.members.len());
            self = self.push_sql(if count > 0 { ", " } else { "" }).name(MEMBERS);
            self = self.push_sql(".").name(name).push_sql(" AS ").name(&member);
        }
        self = document(self.push_sql(" FROM json_to_record(CASE WHEN json_typeof("));
        self = document(self.push_sql(") = 'object' THEN ")).push_sql(" END) AS ");
        self = self.name(MEMBERS).push_sql(" (");
        for (count, name) in documents.names.iter().enumerate() {
            self = self.push_sql(if count > 0 { ", " } else { "" });
            self = self.name(name).push_sql(" json");
        }
        let alias = format!("document {}", self.members.len());
        self.push_sql(")) AS ").name(&alias)
    }

    /// Binds an owned text.
    fn own(mut self, text: String) -> Self {
        self = self.placeholder();
        self.parameters.push(Parameter::Own(text));
        self.push_sql("::text")
    }
}

impl<'v> SqlWriter<'v> for PostgresStatement<'v> {
    const BINARY_COLLATION: &'static str = " COLLATE \"C\"";
    const AS_TEXT: &'static str = "::text";
    const INSERT_RETURNS_ROW: bool = true;
    const AS_DOCUMENT: &'static str = "::json";
    // PostgreSQL's planner knows the selectivity from its statistics.
    const LIKELY_SUFFIX: &'static str = ")";
    const FINDS_FEW_FIRST: bool = false;
    const AGGREGATES_JOINED: bool = true;

    const IS_DISTINCT: &'static str = " IS DISTINCT FROM ";
    const GREATEST: &'static str = "GREATEST(";
    const MICROSECOND: &'static str = "INTERVAL '1 microsecond'";
    const AS_DOUBLE: &'static str = "::float8";
    const IS_NOT_DISTINCT: &'static str = " IS NOT DISTINCT FROM ";

    fn push_placeholder(sql: &mut String, number: usize) {
        write!(sql, "${number}").expect("writing to a String never fails");
    }

    /// Advances the key's sequence.
    fn push_counted_key(sql: &mut String, table: &Table) {
        let mut sequence = "pg_get_serial_sequence(".to_owned();
        push_quoted(&mut sequence, &qualified_name(table), '\'');
        sequence.push_str(", ");
        push_quoted(&mut sequence, table.key().database_name, '\'');
        sequence.push(')');
        let mut key = String::new();
        push_identifier(&mut key, table.key().database_name);
        sql.push_str(&format!(
            ", CASE WHEN {key} > coalesce(pg_sequence_last_value({sequence}::regclass), 0) \
             THEN setval({sequence}, {key}) END"
        ));
    }

    fn start(start: &str) -> Self {
        let mut sql = String::with_capacity(256);
        sql.push_str(start);
        Self {
            sql: Cow::Owned(sql),
            parameters: Vec::new(),
            table: None,
            members: Vec::new(),
        }
    }

    fn ready(sql: &'v str) -> Self {
        Self {
            sql: Cow::Borrowed(sql),
            parameters: Vec::new(),
            table: None,
            members: Vec::new(),
        }
    }

    fn into_sql(self) -> String {
        self.sql.into_owned()
    }

    fn push_sql(mut self, sql: &str) -> Self {
        self.sql.to_mut().push_str(sql);
        self
    }

    fn name(mut self, name: &str) -> Self {
        push_identifier(self.sql.to_mut(), name);
        self
    }

    fn table(mut self, table: &Table) -> Self {
        push_qualified(self.sql.to_mut(), table);
        self
    }

    fn placeholder(mut self) -> Self {
        let number = self.parameters.len() + 1;
        Self::push_placeholder(self.sql.to_mut(), number);
        self
    }

    fn bind(self, column: &Column, value: &'v Value) -> Result<Self> {
        Ok(self.bind_one(coerce(column, value)?))
    }

    fn bind_search(self, column: &Column, value: &'v Value) -> Result<Self> {
        Ok(self.bind_one(coerce_for_search(column, value)?))
    }

    /// PostgreSQL cannot compare JSON documents, so their texts are compared.
    fn compare(self, column: &Column, operator: &str, value: &'v Value) -> Result<Self> {
        let cast = if column.data_type == DataType::Json {
            "::text"
        } else {
            ""
        };
        let statement = self.name(column.database_name).push_sql(cast).push_sql(operator);
        Ok(statement.bind_for_search(column, value)?.push_sql(cast))
    }

    /// A single value is compared without an array, whose length the planner cannot know before it is bound: it would plan
    /// each execution anew.
    fn in_list(self, column: &Column, values: &'v [Value]) -> Result<Self> {
        if let [value] = values {
            return self.push_sql(" = ").bind_for_search(column, value);
        }
        let statement = self.push_sql(" = ANY(").placeholder().bind_any(column, values)?;
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

    /// Parses a document once with `json_to_record`; each `->` would parse it again.
    fn extract_members(self, table: &'static Table, condition: &AnyWhere) -> Self {
        let documents = shared_members(condition);
        documents
            .iter()
            .fold(self, |statement, documents| statement.extract(table, documents))
    }

    fn extracted_member(&self, column: &Column, name: &str) -> Option<String> {
        let is_meant = |(known, member): &(&str, String)| *known == column.database_name && member == name;
        let position = self.members.iter().position(is_meant)?;
        Some(member_name(position + 1))
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
            Value::Null | Value::Int(_) | Value::Single(_) | Value::Bytes(_) | Value::Decimal(_) => {
                self.push_sql("NULL")
            }
            Value::Date(_) | Value::Time(_) | Value::Timestamp(_) | Value::Uuid(_) | Value::Json(_) => {
                self.push_sql("NULL")
            }
        }
    }

    fn json_not_null(self, document: &dyn Fn(Self) -> Self) -> Self {
        document(self.push_sql("json_typeof(")).push_sql(") <> 'null'")
    }

    /// Written as a literal, since the planner takes it into account.
    fn count(self, count: u64) -> Self {
        self.push_sql(&i64::try_from(count).unwrap_or(i64::MAX).to_string())
    }

    fn calendar_unit(self, unit: CalendarUnit, kind: DataType, column: &dyn Fn(Self) -> Self) -> Self {
        let (start, pattern) = match unit {
            CalendarUnit::Day => ("", ")::date"),
            CalendarUnit::Month => ("to_char(", "), 'YYYY-MM') COLLATE \"C\""),
            CalendarUnit::Year => ("extract(year FROM ", "))::int4"),
        };
        let statement = self.push_sql(start);
        match kind {
            // Independent of the session's time zone, for columns with a time zone and without.
            DataType::Timestamp => {
                let statement = statement.push_sql("(to_timestamp(floor(extract(epoch FROM ");
                let statement = column(statement).push_sql("))) AT TIME ZONE 'UTC'");
                statement.push_sql(pattern)
            }
            _ => column(statement.push_sql("("))
                .push_sql("::timestamp")
                .push_sql(pattern),
        }
    }

    fn exact_sum(self, column: &dyn Fn(Self) -> Self) -> Self {
        column(self.push_sql("sum(")).push_sql(")::numeric")
    }

    fn exact_mean(self, _: u8, column: &dyn Fn(Self) -> Self) -> Self {
        let statement = column(self.push_sql("(sum(")).push_sql(")::float8 / count(");
        column(statement).push_sql("))")
    }

    fn bind_sum(self, sum: Decimal) -> Self {
        self.placeholder().bind_one(ValueRef::Decimal(sum))
    }

    fn bind_integer(self, number: i64) -> Self {
        self.placeholder().bind_one(ValueRef::Int(number))
    }

    fn bind_double(self, number: f64) -> Self {
        self.placeholder().bind_one(ValueRef::Double(number))
    }
}

/// Name of the column that a member is extracted to. No column of a model has a space in its name.
fn member_name(number: usize) -> String {
    format!("member {number}")
}
