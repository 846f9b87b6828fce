//! Finding one row.

use std::ops::ControlFlow;

use model_resource_schema::column::{Column, Table};
use model_resource_schema::model::Record;
use model_resource_schema::value::Value;

use super::executor::Executor;
use super::row::PostgresRow;
use super::statement::PostgresStatement;
use super::table_sql::TableSql;
use crate::error::{Error, Result};
use crate::query::AnyQuery;
use crate::row_key::RowKey;
use crate::sink::MapRow;
use crate::sql::SqlWriter;

/// Applies `keep` to the row with this key, if the select includes it.
pub(super) async fn find<T>(
    session: &Executor,
    select: &AnyQuery,
    key: &RowKey,
    keep: impl MapRow<T>,
) -> Result<Option<T>> {
    let table = select.table();
    let texts = TableSql::of(table);
    let mut statement = match key {
        RowKey::Primary(key) if select.is_all() => {
            PostgresStatement::ready(&texts.select_by_key).bind_sought(table.key(), key)?
        }
        _ => PostgresStatement::new(&texts.select)
            .filter(select)?
            .and_row(table, key)?,
    };
    if let Some(lock) = session.lock() {
        statement = statement.words(lock);
    }
    let row = session.read(&statement).await?.pop();
    row.map(|row| PostgresRow::new(row, table).keep(&keep))
        .transpose()
}

/// Whether the select includes the row with this key.
pub(super) async fn exists(session: &Executor, select: &AnyQuery, key: &RowKey) -> Result<bool> {
    let table = select.table();
    let statement = match key {
        RowKey::Primary(key) if select.is_all() => {
            PostgresStatement::ready(&TableSql::of(table).exists_key).bind_sought(table.key(), key)?
        }
        _ => PostgresStatement::new("SELECT 1 FROM ")
            .name(table.name)
            .filter(select)?
            .and_row(table, key)?,
    };
    Ok(!session.read(&statement).await?.is_empty())
}

/// Locks the selected rows that have one of these values, in the order of their primary keys.
///
/// The statement runs as a write, which is cancelled if its caller gives up while it waits for a lock.
pub(super) async fn lock_rows(
    session: &Executor,
    select: &AnyQuery,
    column: usize,
    values: &[Value],
) -> Result<()> {
    let Some(lock) = session.lock() else {
        return Ok(());
    };
    let table = select.table();
    let column = &table.columns[column];
    let statement = PostgresStatement::new("SELECT 1 FROM ")
        .name(table.name)
        .filter(select)?;
    let statement = statement.words(" AND ").name(column.database_name);
    let statement = statement.in_list(column, values)?.words(" ORDER BY ");
    let statement = statement.name(table.key().database_name).words(lock);
    session.write(&statement).await?;
    Ok(())
}

/// Whether a table has a row with this value.
pub(super) async fn exists_with(
    session: &Executor,
    table: &'static Table,
    column: &'static Column,
    value: &Value,
) -> Result<bool> {
    let statement = PostgresStatement::new("SELECT 1 FROM ")
        .name(table.name)
        .words(" WHERE ");
    let statement = statement.compare(column, " = ", value)?.words(" LIMIT 1");
    Ok(!session.read(&statement).await?.is_empty())
}

/// How many rows are selected.
pub(super) async fn count(session: &Executor, select: &AnyQuery) -> Result<u64> {
    let statement = PostgresStatement::new("SELECT count(*) FROM ")
        .name(select.table().name)
        .filter(select)?;
    let row = session.read(&statement).await?.pop();
    let count = row.and_then(|row| row.try_get::<_, i64>(0).ok());
    count
        .map(i64::unsigned_abs)
        .ok_or_else(|| Error::Failed("the server did not count".to_owned()))
}

/// How many rows the server's statistics say are selected.
pub(super) async fn estimate(session: &Executor, select: &AnyQuery) -> Result<u64> {
    let statement = PostgresStatement::new("EXPLAIN SELECT 1 FROM ").name(select.table().name);
    let rows = session.read(&statement.filter(select)?).await?;
    let plan: Option<String> = rows.first().and_then(|row| row.try_get(0).ok());
    let count = plan.as_deref().and_then(|plan| {
        let (_, rest) = plan.split_once(" rows=")?;
        rest.split(' ').next()?.parse().ok()
    });
    count.ok_or_else(|| Error::Failed("the server did not estimate".to_owned()))
}

/// Gives the rows of a statement, which has the columns of a table, until one is refused.
pub(super) async fn each_record(
    session: &Executor,
    table: &'static Table,
    statement: &PostgresStatement<'_>,
    mut take: impl FnMut(Record) -> Result<()> + Send,
) -> Result<()> {
    let mut outcome = Ok(());
    let mut each = |row| {
        outcome = PostgresRow::new(row, table).to_record().and_then(&mut take);
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    session.each(statement, &mut each).await?;
    outcome
}
