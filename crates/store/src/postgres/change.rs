//! Inserts, updates and deletes. Each is a single statement and so atomic.

use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::value::Value;

use super::error::StatementError;
use super::executor::Executor;
use super::fetch;
use super::row::PostgresRow;
use super::statement::PostgresStatement;
use super::table_sql;
use super::violation::{self, WrittenValues};
use crate::delete_query::DeleteQuery;
use crate::error::{Error, Result};
use crate::row_key::RowKey;
use crate::sink::{MapRow, copy_record};
use crate::sql::SqlWriter as _;
use crate::sql::delete::{delete_returning, delete_row, delete_rows};
use crate::sql::quote::push_identifiers;
use crate::sql::update::write_update;
use crate::update::{Updated, may_leave_row};
use model_resource_schema::query::AnyQuery;

/// Maximum rows of one INSERT. Each number of them is a statement of its own, which stays prepared.
const MAX_ROWS: usize = 100;

/// Inserts a row and maps the saved row by `keep`.
pub(super) async fn insert<T>(
    executor: &Executor,
    table: &'static Table,
    row: &[(usize, Value)],
    keep: impl MapRow<T>,
) -> Result<T> {
    let sql = table_sql::of(table).insert::<PostgresStatement<'_>>(table, row);
    let statement: PostgresStatement<'_> = sql.bind(table, row)?;
    let statement = statement.about(table);
    let saved = returning(executor, table, &statement, WrittenValues::New(row), keep).await?;
    saved.ok_or_else(|| Error::Failed(format!("table {} returned no row", table.name)))
}

/// Inserts rows, up to [`MAX_ROWS`] by one statement.
pub(super) async fn insert_rows(
    executor: &Executor,
    table: &'static Table,
    rows: &[Vec<(usize, Value)>],
) -> Result<(), (usize, Error)> {
    let mut written = 0;
    for chunk in rows.chunks(MAX_ROWS) {
        let is_written = match insert_chunk(executor, table, chunk).await {
            Ok(()) => true,
            // One by one, to find the row that fails.
            Err(StatementError::Database(_)) => false,
            Err(StatementError::Other(error)) => return Err((written, error)),
        };
        for (place, row) in chunk.iter().enumerate().filter(|_| !is_written) {
            let inserted = insert(executor, table, row, |_: &dyn Row| ());
            inserted.await.map_err(|error| (written + place, error))?;
        }
        written += chunk.len();
    }
    Ok(())
}

async fn insert_chunk(
    executor: &Executor,
    table: &'static Table,
    rows: &[Vec<(usize, Value)>],
) -> Result<(), StatementError> {
    let statement = write_rows(table, rows)
        .map_err(StatementError::Other)?
        .about(table);
    executor.execute(&statement).await?;
    Ok(())
}

/// INSERT of several rows, which all set the columns of the first one, and that returns nothing.
fn write_rows<'v>(table: &'static Table, rows: &'v [Vec<(usize, Value)>]) -> Result<PostgresStatement<'v>> {
    let first = rows.first().map(Vec::as_slice).unwrap_or_default();
    let names = first
        .iter()
        .map(|(position, _)| table.columns[*position].database_name);
    let mut columns = String::new();
    push_identifiers(&mut columns, names);
    let mut statement = PostgresStatement::start("INSERT INTO ").table(table);
    statement = statement.push_sql(" (").push_sql(&columns).push_sql(") VALUES ");
    for (count, row) in rows.iter().enumerate() {
        statement = statement.push_sql(if count > 0 { ", (" } else { "(" });
        for (place, (position, value)) in row.iter().enumerate() {
            statement = statement.push_sql(if place > 0 { ", " } else { "" });
            statement = statement.value(&table.columns[*position], value)?;
        }
        statement = statement.push_sql(")");
    }
    Ok(statement)
}

/// Updates the row with this key if the query selects it, and if it still has the values of `unchanged`.
pub(super) async fn update<T>(
    executor: &Executor,
    select: &AnyQuery,
    key: &Value,
    unchanged: Option<&Record>,
    changes: &Changes,
    keep: impl MapRow<T>,
) -> Result<Updated<T>> {
    let table = select.table();
    let statement: PostgresStatement<'_> =
        write_update(table_sql::of(table), select, key, unchanged, changes)?;
    let statement = statement.about(table);
    let written = WrittenValues::Changes(&changes.values);
    let saved = returning(executor, table, &statement, written, keep).await?;
    match saved {
        Some(row) => Ok(Updated::Row(row)),
        None if may_leave_row(table, unchanged, changes) => {
            let key = RowKey::Primary(key.clone());
            let present = fetch::find(executor, select, &key, copy_record(table)).await?;
            Updated::nothing(table, present, unchanged, changes)
        }
        None => Ok(Updated::Missing),
    }
}

/// Deletes the row with this key if the query selects it; returns whether it existed.
pub(super) async fn delete(executor: &Executor, rows: &DeleteQuery, key: &RowKey) -> Result<bool> {
    let table = rows.select.table();
    let statement: PostgresStatement<'_> = delete_row(table_sql::of(table), rows, key)?;
    let count = execute(executor, rows, &statement.about(table)).await?;
    Ok(count > 0)
}

/// Deletes all selected rows and returns their number.
pub(super) async fn delete_all(executor: &Executor, rows: &DeleteQuery) -> Result<u64> {
    let statement: PostgresStatement<'_> = delete_rows(rows)?;
    execute(executor, rows, &statement.about(rows.select.table())).await
}

/// Deletes a row and maps it by `keep`.
pub(super) async fn delete_with<T>(
    executor: &Executor,
    rows: &DeleteQuery,
    key: &RowKey,
    unchanged: Option<&Record>,
    keep: impl MapRow<T>,
) -> Result<Option<T>> {
    let table = rows.select.table();
    let statement: PostgresStatement<'_> = delete_returning(table_sql::of(table), rows, key, unchanged)?;
    match executor.write(&statement.about(table)).await {
        Ok(deleted) => map_first(deleted, table, keep),
        Err(error) => Err(deletion_error(executor, rows, error).await),
    }
}

/// Runs a deletion and returns the number of deleted rows.
async fn execute(executor: &Executor, rows: &DeleteQuery, statement: &PostgresStatement<'_>) -> Result<u64> {
    match executor.execute(statement).await {
        Ok(count) => Ok(count),
        Err(error) => Err(deletion_error(executor, rows, error).await),
    }
}

/// Maps an error of a deletion, which is an UPDATE if it is soft.
async fn deletion_error(executor: &Executor, rows: &DeleteQuery, error: StatementError) -> Error {
    match (error, &rows.mark) {
        (StatementError::Database(error), Some(changes)) => {
            let written = WrittenValues::Changes(&changes.values);
            violation::of_values(executor, rows.select.table(), written, &error).await
        }
        (StatementError::Database(error), None) => violation::of_deletion(&error),
        (StatementError::Other(error), _) => error,
    }
}

async fn returning<T>(
    executor: &Executor,
    table: &'static Table,
    statement: &PostgresStatement<'_>,
    written: WrittenValues<'_>,
    keep: impl MapRow<T>,
) -> Result<Option<T>> {
    match executor.write(statement).await {
        Ok(rows) => map_first(rows, table, keep),
        Err(StatementError::Database(error)) => {
            Err(violation::of_values(executor, table, written, &error).await)
        }
        Err(StatementError::Other(error)) => Err(error),
    }
}

/// Maps the row that a statement wrote, if any.
fn map_first<T>(
    mut rows: Vec<tokio_postgres::Row>,
    table: &'static Table,
    keep: impl MapRow<T>,
) -> Result<Option<T>> {
    let row = rows.pop().map(|row| PostgresRow::new(row, table));
    row.map(|row| row.keep(&keep)).transpose()
}
