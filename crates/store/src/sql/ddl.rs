//! DDL of the models' tables.

use model_resource_schema::column::{Column, ColumnRole, OnDelete, Table};

use super::quote::push_identifier;
use super::table_index::{check_sql, index_sql, unique_sql};
use super::table_syntax::TableSyntax;

/// Returns the SQL that creates a model's table and its indexes; empty for a view.
///
/// # Panics
/// If a constraint or an index has a condition that it cannot have. `drift::check` reports it first.
pub(crate) fn create_table_sql<S: TableSyntax>(table: &'static Table) -> String {
    let mut sql = String::new();
    if !table.is_view {
        S::push_schema(&mut sql, table);
        push_table::<S>(&mut sql, table, &[]);
    }
    sql
}

/// Returns the SQL that creates tables in existing schemas, which may reference each other. Foreign keys to tables that
/// are created later are added at the end.
#[cfg(feature = "postgres")]
pub(crate) fn create_tables_sql<S: TableSyntax>(tables: &[&'static Table]) -> String {
    let (mut sql, mut foreign_keys) = (String::new(), String::new());
    for (position, table) in tables.iter().enumerate() {
        let later = &tables[position + 1..];
        push_table::<S>(&mut sql, table, later);
        for column in table.columns.iter().filter(|column| refers_to(column, later)) {
            push_foreign_key::<S>(&mut foreign_keys, table, column);
        }
    }
    sql + &foreign_keys
}

/// Appends a table without foreign keys to tables that are created later, and the indexes of all foreign keys.
fn push_table<S: TableSyntax>(sql: &mut String, table: &Table, later: &[&'static Table]) {
    S::push_enum_types(sql, table);
    sql.push_str("CREATE TABLE IF NOT EXISTS ");
    S::push_table_name(sql, table);
    for (position, column) in table.columns.iter().enumerate() {
        sql.push_str(if position == 0 { " (\n    " } else { ",\n    " });
        push_column::<S>(sql, column);
        if !refers_to(column, later) {
            push_references::<S>(sql, column);
        }
    }
    for check in table.checks {
        sql.push_str(",\n    ");
        sql.push_str(&declared(table, check_sql::<S>(table, check)));
    }
    sql.push_str(S::TABLE_SUFFIX);
    for column in table
        .columns
        .iter()
        .filter(|column| has_foreign_key_index(column))
    {
        push_index::<S>(sql, table, column);
    }
    let uniques = table.uniques.iter().map(|unique| unique_sql::<S>(table, unique));
    let indexes = table.indexes.iter().map(|index| index_sql::<S>(table, index));
    for statement in uniques.chain(indexes) {
        sql.push_str(&declared(table, statement));
        sql.push_str(";\n");
    }
}

/// Returns the SQL of a declaration of the model.
fn declared(table: &Table, sql: Result<String, String>) -> String {
    sql.unwrap_or_else(|reason| panic!("a condition of model {} {reason}", table.model))
}

/// Whether a column references one of these tables.
fn refers_to(column: &Column, tables: &[&'static Table]) -> bool {
    let other = column.references.map(|references| (references.table)().name);
    other.is_some_and(|other| tables.iter().any(|table| table.name == other))
}

#[cfg(feature = "postgres")]
fn push_foreign_key<S: TableSyntax>(sql: &mut String, table: &Table, column: &Column) {
    sql.push_str("ALTER TABLE ");
    S::push_table_name(sql, table);
    sql.push_str(" ADD FOREIGN KEY (");
    push_identifier(sql, column.database_name);
    sql.push(')');
    push_references::<S>(sql, column);
    sql.push_str(";\n");
}

fn push_column<S: TableSyntax>(sql: &mut String, column: &Column) {
    push_identifier(sql, column.database_name);
    sql.push(' ');
    S::push_type(sql, column);
    match column.role {
        ColumnRole::PrimaryKey(generation) => S::push_primary_key(sql, column, generation),
        ColumnRole::Data
        | ColumnRole::Created
        | ColumnRole::Updated
        | ColumnRole::Version
        | ColumnRole::Deleted
        | ColumnRole::Slug(_)
        | ColumnRole::StableSlug(_) => {
            sql.push_str(if column.nullable { "" } else { " NOT NULL" });
            sql.push_str(if column.unique { " UNIQUE" } else { "" });
        }
    }
}

fn push_references<S: TableSyntax>(sql: &mut String, column: &Column) {
    if let Some(references) = column.references {
        let other = (references.table)();
        sql.push_str(" REFERENCES ");
        S::push_table_name(sql, other);
        sql.push_str(" (");
        push_identifier(sql, other.key().database_name);
        sql.push_str(match references.on_delete {
            OnDelete::Restrict => ") ON DELETE RESTRICT",
            OnDelete::Cascade => ") ON DELETE CASCADE",
            OnDelete::SetNull => ") ON DELETE SET NULL",
        });
    }
}

/// Whether a column has an index because it is a foreign key.
pub(crate) fn has_foreign_key_index(column: &Column) -> bool {
    column.references.is_some() && !column.unique
}

/// Returns the name of a foreign key's index, without the prefix of its schema.
pub(crate) fn foreign_key_index_name(table: &Table, column: &Column) -> String {
    format!("{}_{}", table.name_in_schema(), column.database_name)
}

/// Appends the index of a foreign key. It includes the primary key, so that the rows of one parent come in key order.
fn push_index<S: TableSyntax>(sql: &mut String, table: &Table, column: &Column) {
    sql.push_str("CREATE INDEX IF NOT EXISTS ");
    let name = S::index_prefix(table) + &foreign_key_index_name(table, column);
    push_identifier(sql, &name);
    sql.push_str(" ON ");
    S::push_table_name(sql, table);
    sql.push_str(" (");
    push_identifier(sql, column.database_name);
    if !S::has_key_in_indexes(table) {
        sql.push_str(", ");
        push_identifier(sql, table.key().database_name);
    }
    sql.push_str(");\n");
}
