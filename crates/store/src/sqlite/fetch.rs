//! Finding single rows, and running queries.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::error::map_error;
use super::row::SqliteRow;
use super::statement::SqliteStatement;
use super::table_sql;
use crate::error::Result;
use crate::row_key::RowKey;
use crate::sink::MapRow;
use crate::sql::SqlWriter as _;
use crate::sql::select::{is_found_unfiltered, select_count, select_exists, select_row, select_value};
use model_resource_schema::query::AnyQuery;

/// Maps the row with this key by `keep`, if the query selects it.
pub(super) fn find<T>(
    connection: &Connection,
    select: &AnyQuery,
    key: &RowKey,
    keep: &impl MapRow<T>,
) -> Result<Option<T>> {
    let (table, all) = (select.table(), AnyQuery::from(select.table()));
    // A statement that is the same for all callers need not be built.
    let is_filtered = is_found_unfiltered(select, key);
    let table_sql = table_sql::of(table);
    let statement: SqliteStatement<'_> =
        select_row(&table_sql, if is_filtered { &all } else { select }, key)?;
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    let Some(row) = rows.next().map_err(map_error)? else {
        return Ok(None);
    };
    let row = SqliteRow::new(row, table);
    if is_filtered && !select.selects(&row) {
        return row.check().map(|()| None);
    }
    row.keep(keep).map(Some)
}

/// Maps the row of a table with this primary key by `keep`.
pub(super) fn find_by_key<T>(
    connection: &Connection,
    table: &'static Table,
    key: &Value,
    keep: &impl MapRow<T>,
) -> Result<Option<T>> {
    let table_sql = table_sql::of(table);
    let statement = SqliteStatement::ready(&table_sql.select_by_key).bind(table.key(), key)?;
    find_row(connection, table, &statement, keep)
}

fn find_row<T>(
    connection: &Connection,
    table: &'static Table,
    statement: &SqliteStatement<'_>,
    keep: &impl MapRow<T>,
) -> Result<Option<T>> {
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    let row = rows.next().map_err(map_error)?;
    row.map(|row| SqliteRow::new(row, table).keep(keep)).transpose()
}

/// Whether the query selects the row with this key.
pub(super) fn exists(connection: &Connection, select: &AnyQuery, key: &RowKey) -> Result<bool> {
    let table_sql = table_sql::of(select.table());
    let statement: SqliteStatement<'_> = select_exists(&table_sql, select, key)?;
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
    let statement: SqliteStatement<'_> = select_value(table, column, value)?;
    let mut prepared = statement.prepare(connection)?;
    prepared.exists(statement.parameters()).map_err(map_error)
}

/// Counts the selected rows.
pub(super) fn count(connection: &Connection, select: &AnyQuery) -> Result<u64> {
    let statement: SqliteStatement<'_> = select_count(select)?;
    let mut prepared = statement.prepare(connection)?;
    let count: i64 = prepared
        .query_row(statement.parameters(), |row| row.get(0))
        .map_err(map_error)?;
    Ok(count.unsigned_abs())
}

/// Passes the rows of a statement with a table's columns and extra values of these types to `take`, until it fails.
pub(super) fn each_row(
    connection: &Connection,
    (table, extra): (&'static Table, &[DataType]),
    statement: &SqliteStatement<'_>,
    mut take: impl FnMut(&SqliteRow<'_, '_>) -> Result<()>,
) -> Result<()> {
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    while let Some(row) = rows.next().map_err(map_error)? {
        let row = SqliteRow::with_extra(row, table, extra);
        take(&row)?;
        row.check()?;
    }
    Ok(())
}
