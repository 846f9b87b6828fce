//! Finding single rows.

use std::ops::ControlFlow;

use model_resource_schema::column::{Column, Table};
use model_resource_schema::value::Value;

use super::executor::Executor;
use super::row::PostgresRow;
use super::statement::PostgresStatement;
use super::table_sql;
use crate::error::{Error, Result};
use crate::row_key::RowKey;
use crate::sink::MapRow;
use crate::sql::select::{is_found_unfiltered, select_count, select_exists, select_row, select_value};
use crate::sql::{SqlWriter, write_filter};
use model_resource_schema::query::AnyQuery;

/// Maps the row with this key by `keep`, if the query selects it.
pub(super) async fn find<T>(
    executor: &Executor,
    select: &AnyQuery,
    key: &RowKey,
    keep: impl MapRow<T>,
) -> Result<Option<T>> {
    let (table, all) = (select.table(), AnyQuery::from(select.table()));
    // A row that is not selected must not be locked.
    let is_filtered = executor.lock().is_none() && is_found_unfiltered(select, key);
    let selected = if is_filtered { &all } else { select };
    let mut statement: PostgresStatement<'_> = select_row(table_sql::of(table), selected, key)?;
    statement = statement.about(table);
    // Not every view can be locked.
    if let Some(lock) = executor.lock().filter(|_| !table.is_view) {
        statement = statement.push_sql(lock);
    }
    let Some(row) = executor.read(&statement).await?.pop() else {
        return Ok(None);
    };
    let row = PostgresRow::new(row, table);
    if is_filtered && !select.selects(&row) {
        return row.check().map(|()| None);
    }
    row.keep(&keep).map(Some)
}

/// Whether the query selects the row with this key.
pub(super) async fn exists(executor: &Executor, select: &AnyQuery, key: &RowKey) -> Result<bool> {
    let statement: PostgresStatement<'_> = select_exists(table_sql::of(select.table()), select, key)?;
    let statement = statement.about(select.table());
    Ok(!executor.read(&statement).await?.is_empty())
}

/// Locks the selected rows that have one of these values, in the order of their primary keys.
///
/// Runs as a write, so that it is cancelled if its caller is dropped while it waits for a lock.
pub(super) async fn lock_rows(
    executor: &Executor,
    select: &AnyQuery,
    column: usize,
    values: &[Value],
) -> Result<()> {
    let Some(lock) = executor.lock() else {
        return Ok(());
    };
    let table = select.table();
    let column = &table.columns[column];
    let statement = write_filter(PostgresStatement::start("SELECT 1 FROM ").table(table), select)?;
    let statement = statement.push_sql(" AND ").name(column.database_name);
    let statement = statement.in_list(column, values)?.push_sql(" ORDER BY ");
    let statement = statement.name(table.key().database_name).push_sql(lock);
    executor.write(&statement).await?;
    Ok(())
}

/// Whether a table has a row with this value.
pub(super) async fn exists_with(
    executor: &Executor,
    table: &'static Table,
    column: &'static Column,
    value: &Value,
) -> Result<bool> {
    let statement = select_value(table, column, value)?;
    Ok(!executor.read(&statement).await?.is_empty())
}

/// Counts the selected rows.
pub(super) async fn count(executor: &Executor, select: &AnyQuery) -> Result<u64> {
    let statement: PostgresStatement<'_> = select_count(select)?;
    let statement = statement.about(select.table());
    let row = executor.read(&statement).await?.pop();
    let count = row.and_then(|row| row.try_get::<_, i64>(0).ok());
    count
        .map(i64::unsigned_abs)
        .ok_or_else(|| Error::Failed("the server returned no count".to_owned()))
}

/// Estimates the number of selected rows from the server's statistics.
pub(super) async fn estimate(executor: &Executor, select: &AnyQuery) -> Result<u64> {
    let statement = PostgresStatement::start("EXPLAIN SELECT 1 FROM ").table(select.table());
    let rows = executor.read(&write_filter(statement, select)?).await?;
    let plan: Option<String> = rows.first().and_then(|row| row.try_get(0).ok());
    let count = plan.as_deref().and_then(|plan| {
        let (_, rest) = plan.split_once(" rows=")?;
        rest.split(' ').next()?.parse().ok()
    });
    count.ok_or_else(|| Error::Failed("the server returned no estimate".to_owned()))
}

/// Passes the rows of a statement with a table's columns to `take`, until it fails.
pub(super) async fn each_row(
    executor: &Executor,
    table: &'static Table,
    statement: &PostgresStatement<'_>,
    mut take: impl FnMut(&PostgresRow) -> Result<()> + Send,
) -> Result<()> {
    let mut outcome = Ok(());
    let mut each = |row| {
        let row = PostgresRow::new(row, table);
        outcome = take(&row).and_then(|()| row.check());
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    executor.each(statement, &mut each).await?;
    outcome
}
