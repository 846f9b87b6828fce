//! A statement builder for SQL text and its parameters.

use std::borrow::Cow;
use std::cell::Cell;

use model_resource_schema::calendar;
use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{CalendarUnit, JsonKey, Pattern};
use model_resource_schema::value::Value;
use rusqlite::types::ToSqlOutput;
use rusqlite::{CachedStatement, Connection, ParamsFromIter};
use rust_decimal::Decimal;

use super::codec;
use super::error::map_error;
use super::exact_sum::{EXACT_MEAN, EXACT_SUM, encode_sum};
use super::pattern::{Anchor, ambiguous_literal, glob};
use crate::coerce::{coerce, coerce_for_search};
use crate::error::Result;
use crate::sql::quote::push_identifier;
use crate::sql::{JsonType, SqlWriter, like};

thread_local! {
    /// Number of statements prepared on this thread since the last call of [`prepared`].
    static PREPARED: Cell<u64> = const { Cell::new(0) };
}

/// Returns the number of statements prepared on this thread since the last call.
pub(super) fn prepared() -> u64 {
    PREPARED.take()
}

/// A statement being built. Identifiers are quoted and values are bound, so neither can inject SQL.
pub(super) struct SqliteStatement<'v> {
    sql: Cow<'v, str>,
    parameters: Vec<ToSqlOutput<'v>>,
}

impl<'v> SqliteStatement<'v> {
    /// Binds an owned value.
    fn own(mut self, value: impl Into<rusqlite::types::Value>) -> Self {
        self.parameters.push(ToSqlOutput::Owned(value.into()));
        self.push_sql("?")
    }

    pub(super) fn prepare<'c>(&self, connection: &'c Connection) -> Result<CachedStatement<'c>> {
        PREPARED.set(PREPARED.get() + 1);
        connection.prepare_cached(&self.sql).map_err(map_error)
    }

    /// Appends a check that a text contains another, compared character by character.
    fn has_text(
        self,
        ignores_case: bool,
        anchor: Anchor,
        literal: &str,
        text: impl FnOnce(Self) -> Self,
    ) -> Self {
        // `lower` also folds A to Z only.
        let (folded, literal) = if ignores_case {
            ("lower(", literal.to_ascii_lowercase())
        } else {
            ("(", literal.to_owned())
        };
        let length = i64::try_from(literal.chars().count()).unwrap_or(i64::MAX);
        let text = |statement: Self| text(statement.push_sql(folded)).push_sql(")");
        match anchor {
            Anchor::Anywhere => text(self.push_sql("instr("))
                .push_sql(", ")
                .own(literal)
                .push_sql(") > 0"),
            Anchor::Start => {
                let start = text(self.push_sql("substr(")).push_sql(", 1, ").own(length);
                start.push_sql(") = ").own(literal)
            }
            Anchor::End => {
                let end = text(self.push_sql("substr(")).push_sql(", ").own(-length);
                end.push_sql(") = ").own(literal)
            }
            Anchor::Whole => text(self).push_sql(" = ").own(literal),
        }
    }

    pub(super) fn parameters(&self) -> ParamsFromIter<&[ToSqlOutput<'v>]> {
        rusqlite::params_from_iter(self.parameters.as_slice())
    }
}

impl<'v> SqlWriter<'v> for SqliteStatement<'v> {
    const BINARY_COLLATION: &'static str = "";
    const AS_TEXT: &'static str = "";
    /// With RETURNING, SQLite keeps a journal of each statement, in a file once the transaction is large.
    const INSERT_RETURNS_ROW: bool = false;
    const AS_DOCUMENT: &'static str = "";
    const LIKELY_SUFFIX: &'static str = ") IS TRUE";
    const FINDS_FEW_FIRST: bool = true;
    const AGGREGATES_JOINED: bool = false;

    const IS_DISTINCT: &'static str = " IS NOT ";
    const GREATEST: &'static str = "max(";
    const MICROSECOND: &'static str = "1";
    const AS_DOUBLE: &'static str = "";
    const IS_NOT_DISTINCT: &'static str = " IS ";

    fn push_placeholder(sql: &mut String, _: usize) {
        sql.push('?');
    }

    /// SQLite counts on from the largest key by itself.
    fn push_counted_key(_: &mut String, _: &Table) {}

    fn start(start: &str) -> Self {
        let mut sql = String::with_capacity(256);
        sql.push_str(start);
        Self {
            sql: Cow::Owned(sql),
            parameters: Vec::new(),
        }
    }

    fn ready(sql: &'v str) -> Self {
        Self {
            sql: Cow::Borrowed(sql),
            parameters: Vec::new(),
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

    fn placeholder(self) -> Self {
        self.push_sql("?")
    }

    fn bind(mut self, column: &Column, value: &'v Value) -> Result<Self> {
        self.parameters.push(codec::encode(coerce(column, value)?));
        Ok(self)
    }

    fn bind_search(mut self, column: &Column, value: &'v Value) -> Result<Self> {
        self.parameters
            .push(codec::encode(coerce_for_search(column, value)?));
        Ok(self)
    }

    /// Repeats the last value up to a power of two, so that few distinct statements cover all counts and stay
    /// prepared.
    fn in_list(self, column: &Column, values: &'v [Value]) -> Result<Self> {
        let padding = values.len().next_power_of_two() - values.len();
        let padded = values
            .iter()
            .chain(std::iter::repeat_n(&values[values.len() - 1], padding));
        let mut statement = self.push_sql(" IN (");
        for (count, value) in padded.enumerate() {
            statement = statement.push_sql(if count > 0 { ", " } else { "" });
            statement = statement.bind_for_search(column, value)?;
        }
        Ok(statement.push_sql(")"))
    }

    /// Uses GLOB, which is case-sensitive, or LIKE, which is not. Both may use an index, but confuse a few
    /// characters.
    fn like(self, pattern: &Pattern, text: impl FnOnce(Self) -> Self) -> Self {
        if let Some((anchor, literal)) = ambiguous_literal(pattern) {
            return self.has_text(pattern.ignores_case, anchor, literal, text);
        }
        if pattern.ignores_case {
            let statement = text(self).push_sql(" LIKE ").own(like(pattern));
            statement.push_sql(" ESCAPE '\\'")
        } else {
            text(self).push_sql(" GLOB ").own(glob(pattern))
        }
    }

    fn json_key(self, key: &JsonKey) -> Self {
        let statement = self.push_sql(" -> ");
        match key {
            JsonKey::Member(name) => statement.own(name.clone()),
            JsonKey::Item(place) => statement.own(*place),
        }
    }

    fn json_value(self, ty: JsonType, document: &dyn Fn(Self) -> Self) -> Self {
        let statement = document(self.push_sql("CASE json_type(")).push_sql(") ");
        match ty {
            JsonType::Text => document(statement.push_sql("WHEN 'text' THEN ")).push_sql(" ->> '$' END"),
            JsonType::Number => {
                let statement = document(statement.push_sql("WHEN 'integer' THEN CAST("));
                let statement = document(statement.push_sql(" ->> '$' AS REAL) WHEN 'real' THEN "));
                statement.push_sql(" ->> '$' END")
            }
            JsonType::Bool => statement.push_sql("WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"),
        }
    }

    fn bind_json(self, value: &Value) -> Self {
        match value {
            Value::Text(text) => self.own(text.clone()),
            Value::Double(number) => self.own(*number),
            Value::Bool(truth) => self.own(*truth),
            Value::Null | Value::Int(_) | Value::Single(_) | Value::Bytes(_) | Value::Decimal(_) => {
                self.push_sql("NULL")
            }
            Value::Date(_) | Value::Time(_) | Value::Timestamp(_) | Value::Uuid(_) | Value::Json(_) => {
                self.push_sql("NULL")
            }
        }
    }

    fn json_not_null(self, document: &dyn Fn(Self) -> Self) -> Self {
        document(self.push_sql("json_type(")).push_sql(") <> 'null'")
    }

    fn count(self, count: u64) -> Self {
        self.own(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// Dates are stored in days, timestamps in microseconds.
    fn calendar_unit(self, unit: CalendarUnit, kind: DataType, column: &dyn Fn(Self) -> Self) -> Self {
        let days = |statement: Self| match kind {
            DataType::Timestamp => floor_to_day(statement, column),
            _ => column(statement),
        };
        match unit {
            CalendarUnit::Day => days(self),
            CalendarUnit::Month => {
                days(self.push_sql("strftime('%Y-%m', ")).push_sql(" * 86400, 'unixepoch')")
            }
            CalendarUnit::Year => {
                let year = days(self.push_sql("CAST(strftime('%Y', "));
                year.push_sql(" * 86400, 'unixepoch') AS INTEGER)")
            }
        }
    }

    fn exact_sum(self, column: &dyn Fn(Self) -> Self) -> Self {
        column(self.push_sql(EXACT_SUM).push_sql("(")).push_sql(")")
    }

    fn exact_mean(self, scale: u8, column: &dyn Fn(Self) -> Self) -> Self {
        let statement = column(self.push_sql(EXACT_MEAN).push_sql("("));
        statement.push_sql(&format!(", {scale})"))
    }

    fn bind_sum(self, sum: Decimal) -> Self {
        self.own(encode_sum(sum.mantissa()))
    }

    fn bind_integer(self, number: i64) -> Self {
        self.own(number)
    }

    fn bind_double(self, number: f64) -> Self {
        self.own(number)
    }
}

/// Appends the day of a number of microseconds. SQLite divides towards zero, also before 1970.
fn floor_to_day<'v>(
    statement: SqliteStatement<'v>,
    micros: &dyn Fn(SqliteStatement<'v>) -> SqliteStatement<'v>,
) -> SqliteStatement<'v> {
    let day = calendar::MICROS_PER_DAY;
    let statement = micros(statement.push_sql("((")).push_sql(" - ((");
    micros(statement).push_sql(&format!(" % {day}) + {day}) % {day}) / {day})"))
}
