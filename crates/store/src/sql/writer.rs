//! SQL syntax that differs between databases.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{AnyWhere, CalendarUnit, Comparison, JsonKey, Pattern};
use model_resource_schema::value::Value;
use rust_decimal::Decimal;

use crate::error::Result;

/// A statement being built. Identifiers are quoted and values are bound, so neither can inject SQL.
pub(crate) trait SqlWriter<'v>: Sized {
    /// Suffix that forces binary collation on a text operand.
    const BINARY_COLLATION: &'static str;

    /// Suffix that casts the column before it to text, for databases with native enum types.
    const AS_TEXT: &'static str;

    /// Whether an INSERT returns the new row. Otherwise it is read by its key.
    const INSERT_RETURNS_ROW: bool;

    /// Suffix that casts the column before it to a JSON document.
    const AS_DOCUMENT: &'static str;

    /// Suffix that closes a parenthesized condition and marks it as unselective, so that the planner does not use an
    /// index for it.
    const LIKELY_SUFFIX: &'static str;

    /// Whether a condition on few referenced rows finds these before the rows that reference them.
    const FINDS_FEW_FIRST: bool;
    /// Whether the values that a row behind a join table is related to come as an array, so that the row comes once.
    const AGGREGATES_JOINED: bool;

    /// Operator of values that differ, where nulls are equal.
    const IS_DISTINCT: &'static str;

    /// Operator of values that are equal, where nulls are equal too.
    const IS_NOT_DISTINCT: &'static str;

    /// Function that returns the greatest of its arguments, which follow.
    const GREATEST: &'static str;

    /// Time that is added to a timestamp for the next one.
    const MICROSECOND: &'static str;

    /// Suffix that casts the number before it to double precision.
    const AS_DOUBLE: &'static str;

    /// Appends the placeholder of the parameter with this number.
    fn push_placeholder(sql: &mut String, number: usize);

    /// Appends to the RETURNING clause of an INSERT what makes the database count on from a key that the client chose.
    fn push_counted_key(sql: &mut String, table: &Table);

    /// Starts a statement with this SQL.
    fn start(sql: &str) -> Self;

    /// Wraps complete SQL whose parameters are bound next.
    fn ready(sql: &'v str) -> Self;

    /// Returns the SQL without its parameters.
    fn into_sql(self) -> String;

    fn push_sql(self, sql: &str) -> Self;

    /// Appends a quoted identifier.
    fn name(self, name: &str) -> Self;

    /// Appends the quoted name of a table. By default all of it is one identifier, for databases without schemas.
    fn table(self, table: &Table) -> Self {
        self.name(table.name)
    }

    /// Appends the placeholder of the next parameter.
    fn placeholder(self) -> Self;

    /// Binds a value to write to an existing placeholder. Fails if the column cannot store it.
    fn bind(self, column: &Column, value: &'v Value) -> Result<Self>;

    /// Binds a value to search for to an existing placeholder. A value that the column cannot store matches nothing.
    fn bind_search(self, column: &Column, value: &'v Value) -> Result<Self>;

    /// Appends a placeholder and binds a value to write. Fails if the column cannot store it.
    fn value(self, column: &Column, value: &'v Value) -> Result<Self> {
        self.placeholder().bind(column, value)
    }

    /// Appends the greater one of a value to write and of the value that follows the column's present one.
    fn value_or_next(self, column: &Column, value: &'v Value) -> Result<Self> {
        let step = match column.data_type {
            DataType::Timestamp => Self::MICROSECOND,
            _ => "1",
        };
        let sql = self.push_sql(Self::GREATEST).value(column, value)?.push_sql(", ");
        let sql = sql.name(column.database_name).push_sql(" + ").push_sql(step);
        Ok(sql.push_sql(")"))
    }

    /// Appends a placeholder and binds a value to search for. A value that the column cannot store matches nothing.
    fn bind_for_search(self, column: &Column, value: &'v Value) -> Result<Self> {
        self.placeholder().bind_search(column, value)
    }

    /// Appends a comparison of a column with a value to search for.
    fn compare(self, column: &Column, operator: &str, value: &'v Value) -> Result<Self> {
        let sql = self.name(column.database_name).push_sql(operator);
        sql.bind_for_search(column, value)
    }

    /// Appends `IN (..)` to the operand just written.
    fn in_list(self, column: &Column, values: &'v [Value]) -> Result<Self>;

    /// Appends a match of a text against a pattern.
    fn like(self, pattern: &Pattern, text: impl FnOnce(Self) -> Self) -> Self;

    /// Appends a step into the JSON document just written.
    fn json_key(self, key: &JsonKey) -> Self;

    /// Appends to the FROM clause what parses documents once per row, if several conditions compare their members. By
    /// default nothing, for databases that keep the parsed document.
    fn extract_members(self, table: &'static Table, condition: &AnyWhere) -> Self {
        let _ = (table, condition);
        self
    }

    /// Returns the name of the column that a member of documents was extracted to.
    fn extracted_member(&self, column: &Column, name: &str) -> Option<String> {
        let _ = (column, name);
        None
    }

    /// Appends the value of a JSON document if it has this type, else NULL. Numbers are doubles, as in most clients.
    fn json_value(self, ty: JsonType, document: &dyn Fn(Self) -> Self) -> Self;

    /// Binds a value to compare a JSON value with.
    fn bind_json(self, value: &Value) -> Self;

    /// Appends a check that a JSON value exists and is not null.
    fn json_not_null(self, document: &dyn Fn(Self) -> Self) -> Self;

    /// Appends a number of rows.
    fn count(self, count: u64) -> Self;

    /// Appends the calendar unit of a date or a timestamp in UTC: a date, a text, or an integer.
    fn calendar_unit(self, unit: CalendarUnit, kind: DataType, column: &dyn Fn(Self) -> Self) -> Self;

    /// Appends the sum of a column of integers or decimals, which no number of rows overflows.
    fn exact_sum(self, column: &dyn Fn(Self) -> Self) -> Self;

    /// Appends the mean of a column of integers or decimals: the sum as a double, divided by the number of values.
    fn exact_mean(self, scale: u8, column: &dyn Fn(Self) -> Self) -> Self;

    /// Appends a sum to compare with, which has the scale of the column.
    fn bind_sum(self, sum: Decimal) -> Self;

    /// Appends an integer to compare with.
    fn bind_integer(self, number: i64) -> Self;

    /// Appends a double to compare with.
    fn bind_double(self, number: f64) -> Self;
}

/// Types of JSON values that can be compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonType {
    Text,
    Number,
    Bool,
}

impl JsonType {
    /// Returns the JSON type that a value is compared as.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Bool(_) => Self::Bool,
            Value::Double(_) => Self::Number,
            Value::Text(_) => Self::Text,
            // Values of other types are not compared with JSON: they are bound as NULL, which matches nothing.
            Value::Null | Value::Int(_) | Value::Single(_) | Value::Bytes(_) | Value::Decimal(_) => {
                Self::Text
            }
            Value::Date(_) | Value::Time(_) | Value::Timestamp(_) | Value::Uuid(_) | Value::Json(_) => {
                Self::Text
            }
        }
    }
}

/// Returns the suffixes that make a column comparable in the same order on every database: a cast and a collation.
pub(super) fn comparable<'v, W: SqlWriter<'v>>(data_type: DataType) -> (&'static str, &'static str) {
    match data_type {
        DataType::Enum(_) => (W::AS_TEXT, W::BINARY_COLLATION),
        DataType::Text => ("", W::BINARY_COLLATION),
        DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64 | DataType::F32 | DataType::F64 => {
            ("", "")
        }
        DataType::Bytes | DataType::Decimal { .. } | DataType::Uuid | DataType::Json => ("", ""),
        DataType::Date | DataType::Time | DataType::Timestamp => ("", ""),
    }
}

/// Returns the operator of a comparison.
pub(super) fn operator(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => " = ",
        Comparison::Ne => " <> ",
        Comparison::Gt => " > ",
        Comparison::Gte => " >= ",
        Comparison::Lt => " < ",
        Comparison::Lte => " <= ",
    }
}

/// Name of a table's rows within a statement.
#[derive(Clone, Copy)]
pub(crate) enum TableAlias {
    /// Selected rows, by the name of their table.
    Root(&'static Table),
    /// Rows of a join table.
    Join,
    /// Rows of a subquery at this depth.
    Nested(usize),
}

impl TableAlias {
    /// Alias of the next nested subquery.
    pub(super) fn nested(self) -> Self {
        match self {
            Self::Root(_) | Self::Join => Self::Nested(1),
            Self::Nested(depth) => Self::Nested(depth + 1),
        }
    }

    /// Appends the alias.
    pub(super) fn write<'v, W: SqlWriter<'v>>(self, sql: W) -> W {
        match self {
            Self::Root(table) => sql.table(table),
            Self::Join => sql.name("within_join"),
            Self::Nested(depth) => sql.name(&format!("within_{depth}")),
        }
    }

    /// Appends a column of the alias.
    pub(super) fn column<'v, W: SqlWriter<'v>>(self, sql: W, column: &str) -> W {
        self.write(sql).push_sql(".").name(column)
    }
}
