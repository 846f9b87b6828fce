//! DDL of the models' tables.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, OnDelete, Table};
use model_resource_schema::data_type::DataType;

use crate::quote::push_identifier;

/// Returns the SQL that creates a model's table and the indexes of its foreign keys.
pub(crate) fn create_table_sql(table: &'static Table) -> String {
    let mut sql = "CREATE TABLE IF NOT EXISTS ".to_owned();
    push_identifier(&mut sql, table.name);
    for (position, column) in table.columns.iter().enumerate() {
        sql.push_str(if position == 0 { " (\n    " } else { ",\n    " });
        push_column(&mut sql, column);
    }
    sql.push_str("\n) STRICT;\n");
    for column in table
        .columns
        .iter()
        .filter(|column| column.references.is_some() && !column.unique)
    {
        push_index(&mut sql, table, column);
    }
    sql
}

/// Appends a column definition for `CREATE TABLE` and `ALTER TABLE .. ADD COLUMN`.
pub(super) fn push_column(sql: &mut String, column: &Column) {
    push_identifier(sql, column.database_name);
    sql.push(' ');
    sql.push_str(storage_class(column.data_type));
    match column.role {
        // Without AUTOINCREMENT, SQLite could reuse the key of a deleted row.
        ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement) => sql.push_str(" PRIMARY KEY AUTOINCREMENT"),
        ColumnRole::PrimaryKey(KeyGeneration::UuidV7 | KeyGeneration::Client) => {
            sql.push_str(" PRIMARY KEY NOT NULL");
        }
        ColumnRole::Data
        | ColumnRole::Created
        | ColumnRole::Updated
        | ColumnRole::Slug(_)
        | ColumnRole::StableSlug(_) => {
            sql.push_str(if column.nullable { "" } else { " NOT NULL" });
            sql.push_str(if column.unique { " UNIQUE" } else { "" });
        }
    }
    if let Some(references) = column.references {
        let other = (references.table)();
        sql.push_str(" REFERENCES ");
        push_identifier(sql, other.name);
        sql.push_str(" (");
        push_identifier(sql, other.key().database_name);
        sql.push_str(match references.on_delete {
            OnDelete::Restrict => ") ON DELETE RESTRICT",
            OnDelete::Cascade => ") ON DELETE CASCADE",
            OnDelete::SetNull => ") ON DELETE SET NULL",
        });
    }
}

/// Appends the index of a foreign key. It includes the primary key, so that the rows of one parent come in key order.
fn push_index(sql: &mut String, table: &Table, column: &Column) {
    sql.push_str("CREATE INDEX IF NOT EXISTS ");
    push_identifier(sql, &format!("{}_{}", table.name, column.database_name));
    sql.push_str(" ON ");
    push_identifier(sql, table.name);
    sql.push_str(" (");
    push_identifier(sql, column.database_name);
    // An INTEGER primary key is the rowid, which every index already contains.
    if storage_class(table.key().data_type) != "INTEGER" {
        sql.push_str(", ");
        push_identifier(sql, table.key().database_name);
    }
    sql.push_str(");\n");
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
