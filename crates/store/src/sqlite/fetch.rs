//! Finding one row, and running what gives rows.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::model::Record;
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::error::map_error;
use super::row::SqliteRow;
use super::statement::SqliteStatement;
use super::table_sql::SqliteTableSql;
use crate::error::Result;
use crate::query::AnyQuery;
use crate::row_key::RowKey;
use crate::sink::MapRow;

/// Applies `keep` to the row with this key, if the select includes it.
pub(super) fn find<T>(
    connection: &Connection,
    select: &AnyQuery,
    key: &RowKey,
    keep: &impl MapRow<T>,
) -> Result<Option<T>> {
    let table = select.table();
    let texts = SqliteTableSql::of(table);
    let statement = match key {
        RowKey::Primary(key) if select.is_all() => {
            SqliteStatement::ready(&texts.select_by_key).bind_sought(table.key(), key)?
        }
        _ => SqliteStatement::new(&texts.select)
            .filter(select)?
            .and_row(table, key)?,
    };
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    let row = rows.next().map_err(map_error)?;
    row.map(|row| SqliteRow::new(row, table).keep(keep)).transpose()
}

/// Whether the select includes the row with this key.
pub(super) fn exists(connection: &Connection, select: &AnyQuery, key: &RowKey) -> Result<bool> {
    let table = select.table();
    let texts = SqliteTableSql::of(table);
    let statement = match key {
        RowKey::Primary(key) if select.is_all() => {
            SqliteStatement::ready(&texts.exists_key).bind_sought(table.key(), key)?
        }
        _ => SqliteStatement::new("SELECT 1 FROM ")
            .name(table.name)
            .filter(select)?
            .and_row(table, key)?,
    };
    let mut prepared = statement.prepare(connection)?;
    prepared.exists(statement.parameters()).map_err(map_error)
}

/// Whether a table has a row with this value.
pub(super) fn exists_with(
    connection: &Connection,
    table: &'static Table,
    column: &'static Column,
    value: &Value,
) -> Result<bool> {
    let statement = SqliteStatement::new("SELECT 1 FROM ")
        .name(table.name)
        .words(" WHERE ")
        .name(column.database_name);
    let statement = statement.words(" = ").sought(column, value)?;
    let mut prepared = statement.prepare(connection)?;
    prepared.exists(statement.parameters()).map_err(map_error)
}

/// How many rows are selected.
pub(super) fn count(connection: &Connection, select: &AnyQuery) -> Result<u64> {
    let statement = SqliteStatement::new("SELECT count(*) FROM ")
        .name(select.table().name)
        .filter(select)?;
    let mut prepared = statement.prepare(connection)?;
    let count: i64 = prepared
        .query_row(statement.parameters(), |row| row.get(0))
        .map_err(map_error)?;
    Ok(count.unsigned_abs())
}

/// Gives the rows of a statement, which has the columns of a table, until one is refused.
pub(super) fn each_record(
    connection: &Connection,
    table: &'static Table,
    statement: &SqliteStatement<'_>,
    mut take: impl FnMut(Record) -> Result<()>,
) -> Result<()> {
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    while let Some(row) = rows.next().map_err(map_error)? {
        take(SqliteRow::new(row, table).to_record()?)?;
    }
    Ok(())
}
