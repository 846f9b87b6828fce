//! Inserts, updates and deletes. Each is a single statement and so atomic.

use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::Record;
use model_resource_schema::value::Value;

use super::error::StatementError;
use super::executor::Executor;
use super::fetch;
use super::row::PostgresRow;
use super::statement::PostgresStatement;
use super::table_sql::{self, TableSql};
use super::violation::{self, WrittenValues};
use crate::error::{Error, Result};
use crate::row_key::RowKey;
use crate::sink::{MapRow, copy_record};
use crate::update::Updated;
use model_resource_schema::query::AnyQuery;

/// Inserts a row and maps the saved row by `keep`.
pub(super) async fn insert<T>(
    executor: &Executor,
    table: &'static Table,
    row: &[(usize, Value)],
    keep: impl MapRow<T>,
) -> Result<T> {
    let table_sql = TableSql::of(table);
    let built;
    let sql = if row.iter().map(|(column, _)| column).eq(&table_sql.usual) {
        &table_sql.insert_all
    } else {
        let written: Vec<usize> = row.iter().map(|(column, _)| *column).collect();
        built = table_sql::insert(table, &written, &table_sql.columns);
        &built
    };
    let mut statement = PostgresStatement::ready(sql);
    for (column, value) in row {
        statement = statement.bind(&table.columns[*column], value)?;
    }
    let saved = returning(executor, table, &statement, WrittenValues::New(row), keep).await?;
    saved.ok_or_else(|| Error::Failed(format!("table {} returned no row", table.name)))
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
    let mut statement = PostgresStatement::new("UPDATE ")
        .name(table.name)
        .push_sql(" SET ");
    for (count, (position, value)) in changes.values.iter().enumerate() {
        let column = &table.columns[*position];
        statement = statement.push_sql(if count > 0 { ", " } else { "" });
        statement = statement.name(column.database_name).push_sql(" = ");
        statement = match changes.derived_from(*position) {
            None => statement.value(column, value)?,
            Some(causes) => {
                statement = statement.push_sql("CASE WHEN FALSE");
                for (cause, new) in causes {
                    let cause = &table.columns[*cause];
                    statement = statement
                        .push_sql(" OR ")
                        .compare(cause, " IS DISTINCT FROM ", new)?;
                }
                let statement = statement.push_sql(" THEN ").value(column, value)?;
                statement
                    .push_sql(" ELSE ")
                    .name(column.database_name)
                    .push_sql(" END")
            }
        };
    }
    statement = statement.filter(select)?.and_key(table, " = ", key)?;
    for (column, value) in std::iter::zip(table.columns, unchanged.map_or(&[][..], Record::values)) {
        statement = statement
            .push_sql(" AND ")
            .compare(column, " IS NOT DISTINCT FROM ", value)?;
    }
    let statement = statement
        .push_sql(" RETURNING ")
        .push_sql(&TableSql::of(table).columns);
    let written = WrittenValues::Changes(&changes.values);
    let saved = returning(executor, table, &statement, written, keep).await?;
    match (saved, unchanged) {
        (Some(row), _) => Ok(Updated::Row(row)),
        (None, None) => Ok(Updated::Missing),
        (None, Some(_)) => {
            let found = fetch::find(
                executor,
                select,
                &RowKey::Primary(key.clone()),
                copy_record(table),
            )
            .await?;
            Ok(found.map_or(Updated::Missing, Updated::Stale))
        }
    }
}

/// Deletes the row with this key if the query selects it; returns whether it existed.
pub(super) async fn delete(executor: &Executor, select: &AnyQuery, key: &RowKey) -> Result<bool> {
    let table = select.table();
    let table_sql = TableSql::of(table);
    let statement = match key {
        RowKey::Primary(key) if select.is_all() => {
            PostgresStatement::ready(&table_sql.delete_key).bind_search(table.key(), key)?
        }
        _ => {
            let statement = PostgresStatement::new("DELETE FROM ").name(table.name);
            statement
                .filter(select)?
                .and_row(table, key)?
                .push_sql(table_sql::RETURNING_ONE)
        }
    };
    match executor.write(&statement).await {
        Ok(deleted) => Ok(!deleted.is_empty()),
        Err(StatementError::Database(error)) => Err(violation::of_deletion(&error)),
        Err(StatementError::Other(error)) => Err(error),
    }
}

/// Deletes all selected rows and returns their number, which the server counts.
pub(super) async fn delete_all(executor: &Executor, select: &AnyQuery) -> Result<u64> {
    let statement = PostgresStatement::new("WITH deleted AS (DELETE FROM ").name(select.table().name);
    let statement = statement.filter(select)?;
    let statement = statement.push_sql(" RETURNING 1) SELECT count(*) FROM deleted");
    match executor.write(&statement).await {
        Ok(rows) => {
            let deleted = rows.first().and_then(|row| row.try_get::<_, i64>(0).ok());
            deleted
                .map(i64::unsigned_abs)
                .ok_or_else(|| Error::Failed("the server returned no count".to_owned()))
        }
        Err(StatementError::Database(error)) => Err(violation::of_deletion(&error)),
        Err(StatementError::Other(error)) => Err(error),
    }
}

/// Deletes a row and maps it by `keep`.
pub(super) async fn delete_with<T>(
    executor: &Executor,
    select: &AnyQuery,
    key: &RowKey,
    keep: impl MapRow<T>,
) -> Result<Option<T>> {
    let table = select.table();
    let statement = PostgresStatement::new("DELETE FROM ").name(table.name);
    let statement = statement.filter(select)?.and_row(table, key)?;
    let statement = statement
        .push_sql(" RETURNING ")
        .push_sql(&TableSql::of(table).columns);
    match executor.write(&statement).await {
        Ok(rows) => map_first(rows, table, keep),
        Err(StatementError::Database(error)) => Err(violation::of_deletion(&error)),
        Err(StatementError::Other(error)) => Err(error),
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
