//! DDL of the indexes and checks that a model declares.

use model_resource_schema::column::Table;
use model_resource_schema::table_constraints::{
    CheckConstraint, IndexColumn, RowCondition, TableIndex, UniqueConstraint,
};

use super::quote::push_identifier;
use super::row_condition::{may_be_null, push_condition};
use super::table_syntax::TableSyntax;

/// Maximum bytes of a name, which PostgreSQL would shorten.
pub(crate) const MAX_NAME: usize = 63;

/// Returns the name of a unique constraint's index, without the prefix of its schema.
pub(crate) fn unique_name(table: &Table, unique: &UniqueConstraint) -> String {
    let given = unique.name.map(str::to_owned);
    given.unwrap_or_else(|| joined_name(table, unique.columns.iter().copied()) + "_unique")
}

/// Returns the name of an index, without the prefix of its schema.
pub(crate) fn index_name(table: &Table, index: &TableIndex) -> String {
    let given = index.name.map(str::to_owned);
    given.unwrap_or_else(|| {
        let name = joined_name(table, index.columns.iter().map(|column| column.position));
        name + if index.condition.is_some() { "_partial" } else { "" }
    })
}

fn joined_name(table: &Table, columns: impl Iterator<Item = usize>) -> String {
    columns.fold(table.name_in_schema().to_owned(), |name, column| {
        format!("{name}_{}", table.columns[column].database_name)
    })
}

/// Returns the statement that creates a unique constraint's index.
pub(crate) fn unique_sql<S: TableSyntax>(table: &Table, unique: &UniqueConstraint) -> Result<String, String> {
    let name = unique_name(table, unique);
    let mut sql = start::<S>("CREATE UNIQUE INDEX IF NOT EXISTS ", table, &name);
    for (count, column) in unique.columns.iter().enumerate() {
        sql.push_str(if count > 0 { ", " } else { "" });
        push_identifier(&mut sql, table.columns[*column].database_name);
    }
    finished::<S>(sql, table, unique.condition)
}

/// Returns the statement that creates an index. It has the order of a list by its columns: texts in binary collation,
/// nulls at the end of descending values, and rows with equal values by the primary key in the same direction.
pub(crate) fn index_sql<S: TableSyntax>(table: &Table, index: &TableIndex) -> Result<String, String> {
    let mut sql = start::<S>("CREATE INDEX IF NOT EXISTS ", table, &index_name(table, index));
    for (count, IndexColumn { position, descending }) in index.columns.iter().enumerate() {
        let column = &table.columns[*position];
        sql.push_str(if count > 0 { ", " } else { "" });
        push_identifier(&mut sql, column.database_name);
        sql.push_str(S::collation(column));
        sql.push_str(match (descending, column.nullable) {
            (false, _) => "",
            (true, false) => " DESC",
            (true, true) => S::DESCENDING_NULLS_LAST,
        });
    }
    let has_key = index
        .columns
        .iter()
        .any(|column| column.position == table.primary_key);
    let is_descending = index.columns.last().is_some_and(|last| last.descending);
    if !has_key && (is_descending || !S::has_key_in_indexes(table)) {
        sql.push_str(", ");
        push_identifier(&mut sql, table.key().database_name);
        sql.push_str(if is_descending { " DESC" } else { "" });
    }
    finished::<S>(sql, table, index.condition)
}

/// Returns the constraint of a check, as a part of CREATE TABLE.
pub(crate) fn check_sql<S: TableSyntax>(table: &Table, check: &CheckConstraint) -> Result<String, String> {
    let condition = (check.condition)();
    let mut sql = "CONSTRAINT ".to_owned();
    push_identifier(&mut sql, check.name);
    // SQL accepts rows for which a check is NULL.
    let (open, close) = if may_be_null(table, &condition) {
        (" CHECK ((", ") IS TRUE)")
    } else {
        (" CHECK (", ")")
    };
    sql.push_str(open);
    push_condition::<S>(&mut sql, table, &condition)?;
    sql.push_str(close);
    Ok(sql)
}

fn start<S: TableSyntax>(statement: &str, table: &Table, name: &str) -> String {
    let mut sql = statement.to_owned();
    push_identifier(&mut sql, &(S::index_prefix(table) + name));
    sql.push_str(" ON ");
    S::push_table_name(&mut sql, table);
    sql.push_str(" (");
    sql
}

fn finished<S: TableSyntax>(
    mut sql: String,
    table: &Table,
    condition: Option<fn() -> RowCondition>,
) -> Result<String, String> {
    sql.push(')');
    if let Some(condition) = condition {
        sql.push_str(" WHERE ");
        push_condition::<S>(&mut sql, table, &condition())?;
    }
    Ok(sql)
}
