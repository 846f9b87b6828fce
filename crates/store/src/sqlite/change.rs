//! Inserts, updates and deletes. Each is a single statement and so atomic.

use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::error::map_error;
use super::fetch;
use super::row::SqliteRow;
use super::statement::SqliteStatement;
use super::table_sql;
use super::violation;
use crate::delete_query::DeleteQuery;
use crate::error::{Error, Result};
use crate::row_key::RowKey;
use crate::sink::{MapRow, copy_record};
use crate::sql::delete::{delete_returning, delete_row, delete_rows};
use crate::sql::update::write_update;
use crate::update::{Updated, may_leave_row};
use model_resource_schema::query::AnyQuery;

/// Inserts a row and maps the saved row by `keep`.
pub(super) fn insert<T>(
    connection: &Connection,
    table: &'static Table,
    row: &[(usize, Value)],
    keep: &impl MapRow<T>,
) -> Result<T> {
    let table_sql = table_sql::of(table);
    let sql = table_sql.insert::<SqliteStatement<'_>>(table, row);
    let statement: SqliteStatement<'_> = sql.bind(table, row)?;
    let inserted = statement.prepare(connection)?.execute(statement.parameters());
    let inserted = inserted.map_err(|error| violation::of_values(connection, table, row, error))?;
    let given = row.iter().find(|(column, _)| *column == table.primary_key);
    let key = match given {
        Some((_, key)) if *key != Value::Null => key.clone(),
        _ => Value::Int(connection.last_insert_rowid()),
    };
    let saved = match inserted {
        0 => None,
        _ => fetch::find_by_key(connection, table, &key, keep)?,
    };
    saved.ok_or_else(|| Error::Failed(format!("table {} has no row of an insert", table.name)))
}

/// Inserts rows. Each is a call of a prepared statement, without a switch between threads.
pub(super) fn insert_rows(
    connection: &Connection,
    table: &'static Table,
    rows: &[Vec<(usize, Value)>],
) -> Result<(), (usize, Error)> {
    for (place, row) in rows.iter().enumerate() {
        insert(connection, table, row, &|_: &dyn Row| ()).map_err(|error| (place, error))?;
    }
    Ok(())
}

/// Updates the row with this key if the query selects it, and if it still has the values of `unchanged`.
pub(super) fn update<T>(
    connection: &Connection,
    select: &AnyQuery,
    key: &Value,
    unchanged: Option<&Record>,
    changes: &Changes,
    keep: &impl MapRow<T>,
) -> Result<Updated<T>> {
    let table = select.table();
    let statement = write_update(&table_sql::of(table), select, key, unchanged, changes)?;
    let map_violation = |error| violation::of_values(connection, table, &changes.values, error);
    let saved = returning(connection, table, &statement, keep, map_violation)?;
    match saved {
        Some(row) => Ok(Updated::Row(row)),
        None if may_leave_row(table, unchanged, changes) => {
            let key = RowKey::Primary(key.clone());
            let present = fetch::find(connection, select, &key, &copy_record(table))?;
            Updated::nothing(table, present, unchanged, changes)
        }
        None => Ok(Updated::Missing),
    }
}

/// Deletes the row with this key if the query selects it; returns whether it existed.
pub(super) fn delete(connection: &Connection, rows: &DeleteQuery, key: &RowKey) -> Result<bool> {
    let table_sql = table_sql::of(rows.select.table());
    let statement: SqliteStatement<'_> = delete_row(&table_sql, rows, key)?;
    let deleted = statement.prepare(connection)?.execute(statement.parameters());
    deleted
        .map(|count| count > 0)
        .map_err(|error| deletion_error(connection, rows, error))
}

/// Deletes all selected rows and returns their number.
pub(super) fn delete_all(connection: &Connection, rows: &DeleteQuery) -> Result<u64> {
    let statement: SqliteStatement<'_> = delete_rows(rows)?;
    let deleted = statement.prepare(connection)?.execute(statement.parameters());
    let deleted = deleted.map_err(|error| deletion_error(connection, rows, error))?;
    Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
}

/// Deletes a row and maps it by `keep`.
pub(super) fn delete_with<T>(
    connection: &Connection,
    rows: &DeleteQuery,
    key: &RowKey,
    unchanged: Option<&Record>,
    keep: &impl MapRow<T>,
) -> Result<Option<T>> {
    let table = rows.select.table();
    let statement = delete_returning(&table_sql::of(table), rows, key, unchanged)?;
    let map_error = |error| deletion_error(connection, rows, error);
    returning(connection, table, &statement, keep, map_error)
}

/// Maps an error of a deletion, which is an UPDATE if it is soft.
fn deletion_error(connection: &Connection, rows: &DeleteQuery, error: rusqlite::Error) -> Error {
    match &rows.mark {
        Some(changes) => violation::of_values(connection, rows.select.table(), &changes.values, error),
        None => violation::of_deletion(error),
    }
}

/// Runs the statement to its end, where SQLite checks foreign keys, and maps the written row by `keep`.
fn returning<T>(
    connection: &Connection,
    table: &'static Table,
    statement: &SqliteStatement<'_>,
    keep: &impl MapRow<T>,
    map_violation: impl FnOnce(rusqlite::Error) -> Error,
) -> Result<Option<T>> {
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    let mut saved = None;
    loop {
        match rows.next() {
            Ok(Some(row)) => saved = Some(SqliteRow::new(row, table).keep(keep)?),
            Ok(None) => return Ok(saved),
            Err(error) => return Err(map_violation(error)),
        }
    }
}
