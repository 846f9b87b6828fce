//! Syntax of `CREATE TABLE`.

use model_resource_schema::column::{Column, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::value::ValueRef;
use rusqlite::types::{ToSqlOutput, ValueRef as Stored};

use super::codec::encode;
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
        let encoded = encode(value);
        let stored = match &encoded {
            ToSqlOutput::Borrowed(stored) => *stored,
            ToSqlOutput::Owned(stored) => stored.into(),
            _ => return false,
        };
        match stored {
            Stored::Null => return false,
            Stored::Integer(number) => sql.push_str(&number.to_string()),
            Stored::Real(number) => sql.push_str(&format!("{number:?}")),
            Stored::Text(text) => push_quoted(sql, &String::from_utf8_lossy(text), '\''),
            Stored::Blob(bytes) => {
                sql.push('X');
                push_quoted(sql, &hexadecimal(bytes), '\'');
            }
        }
        true
    }
}

/// Returns the column type for `CREATE TABLE`.
pub(super) fn storage_class(kind: DataType) -> &'static str {
    match kind {
        DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64 => "INTEGER",
        DataType::Decimal { .. } | DataType::Date | DataType::Time | DataType::Timestamp => "INTEGER",
        DataType::F32 | DataType::F64 => "REAL",
        DataType::Text | DataType::Json | DataType::Enum(_) => "TEXT",
        DataType::Bytes | DataType::Uuid => "BLOB",
    }
}
