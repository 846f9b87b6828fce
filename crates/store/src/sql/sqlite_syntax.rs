//! Syntax of `CREATE TABLE` in SQLite.

use std::fmt::{Display, Write as _};

use model_resource_schema::calendar;
use model_resource_schema::column::{Column, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::value::ValueRef;

use crate::sql::quote::{hexadecimal, push_identifier, push_quoted};
use crate::sql::table_syntax::TableSyntax;

/// SQLite's syntax.
pub(crate) struct SqliteSyntax;

impl TableSyntax for SqliteSyntax {
    const TABLE_SUFFIX: &'static str = "\n) STRICT;\n";

    /// SQLite has no schemas: the whole name is that of the table.
    fn push_schema(_: &mut String, _: &Table) {}

    fn push_table_name(sql: &mut String, table: &Table) {
        push_identifier(sql, table.name);
    }

    fn index_prefix(table: &Table) -> String {
        table
            .schema
            .map_or_else(String::new, |schema| format!("{schema}."))
    }

    /// Enums are texts.
    fn push_enum_types(_: &mut String, _: &Table) {}

    fn push_type(sql: &mut String, column: &Column) {
        sql.push_str(storage_class(column.data_type));
    }

    fn push_primary_key(sql: &mut String, _: &Column, generation: KeyGeneration) {
        sql.push_str(match generation {
            // Without AUTOINCREMENT, SQLite could reuse the key of a deleted row.
            KeyGeneration::AutoIncrement => " PRIMARY KEY AUTOINCREMENT",
            KeyGeneration::UuidV7 | KeyGeneration::Client => " PRIMARY KEY NOT NULL",
        });
    }

    /// An INTEGER primary key is the rowid, which every index contains.
    fn has_key_in_indexes(table: &Table) -> bool {
        storage_class(table.key().data_type) == "INTEGER"
    }

    /// Nulls are the least values of SQLite.
    const DESCENDING_NULLS_LAST: &'static str = " DESC";

    fn collation(_: &Column) -> &'static str {
        ""
    }

    fn push_literal(sql: &mut String, value: ValueRef<'_>) -> bool {
        match value {
            ValueRef::Null => return false,
            ValueRef::Bool(value) => sql.push(if value { '1' } else { '0' }),
            ValueRef::Int(value) => push_number(sql, value),
            ValueRef::Single(value) => push_float(sql, value.into()),
            ValueRef::Double(value) => push_float(sql, value),
            ValueRef::Text(value) | ValueRef::Json(value) => push_quoted(sql, value, '\''),
            ValueRef::Bytes(value) => push_bytes(sql, value),
            ValueRef::Uuid(value) => push_bytes(sql, value.as_bytes()),
            ValueRef::Decimal(value) => push_number(sql, value.mantissa()),
            ValueRef::Date(value) => push_number(sql, calendar::days_from_date(value)),
            ValueRef::Time(value) => push_number(sql, calendar::micros_from_time(value)),
            ValueRef::Timestamp(value) => push_number(sql, value.as_microsecond()),
        }
        true
    }
}

fn push_number(sql: &mut String, value: impl Display) {
    let _ = write!(sql, "{value}");
}

fn push_float(sql: &mut String, value: f64) {
    let _ = write!(sql, "{value:?}");
}

fn push_bytes(sql: &mut String, value: &[u8]) {
    sql.push('X');
    push_quoted(sql, &hexadecimal(value), '\'');
}

/// Returns the column type for `CREATE TABLE`.
pub(crate) fn storage_class(kind: DataType) -> &'static str {
    match kind {
        DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64 => "INTEGER",
        DataType::Decimal { .. } | DataType::Date | DataType::Time | DataType::Timestamp => "INTEGER",
        DataType::F32 | DataType::F64 => "REAL",
        DataType::Text | DataType::Json | DataType::Enum(_) => "TEXT",
        DataType::Bytes | DataType::Uuid => "BLOB",
    }
}
