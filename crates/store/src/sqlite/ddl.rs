//! Syntax of `CREATE TABLE`.

use model_resource_schema::column::{Column, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;

use crate::sql::ddl::TableSyntax;

/// SQLite's syntax.
pub(crate) struct SqliteSyntax;

impl TableSyntax for SqliteSyntax {
    const TABLE_SUFFIX: &'static str = "\n) STRICT;\n";

    fn push_type(sql: &mut String, kind: DataType) {
        sql.push_str(storage_class(kind));
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
