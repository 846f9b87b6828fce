//! Writing rows: each of these is a single statement, so it happens wholly or not at all.

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
use crate::query::AnyQuery;
use crate::row_key::RowKey;
use crate::sink::{MapRow, copy_record};
use crate::update::Updated;

/// Inserts a row and gives what is made of it as it was saved.
pub(super) async fn insert<T>(
    session: &Executor,
    table: &'static Table,
    row: &[(usize, Value)],
    keep: impl MapRow<T>,
) -> Result<T> {
    let texts = TableSql::of(table);
    let built;
    let sql = if row.iter().map(|(column, _)| column).eq(&texts.usual) {
        &texts.insert_all
    } else {
        let written: Vec<usize> = row.iter().map(|(column, _)| *column).collect();
        built = table_sql::insert(table, &written, &texts.columns);
        &built
    };
    let mut statement = PostgresStatement::ready(sql);
    for (column, value) in row {
        statement = statement.bind(&table.columns[*column], value)?;
    }
    let saved = returning(session, table, &statement, WrittenValues::New(row), keep).await?;
    saved.ok_or_else(|| Error::Failed(format!("table {} gave no row back", table.name)))
}

/// Writes over the row with this key, if it is one of the selected and still as it was in `unchanged`, if that is given.
pub(super) async fn update<T>(
    session: &Executor,
    select: &AnyQuery,
    key: &Value,
    unchanged: Option<&Record>,
    changes: &Changes,
    keep: impl MapRow<T>,
) -> Result<Updated<T>> {
    let table = select.table();
    let mut statement = PostgresStatement::new("UPDATE ").name(table.name).words(" SET ");
    for (count, (position, value)) in changes.values.iter().enumerate() {
        let column = &table.columns[*position];
        statement = statement.words(if count > 0 { ", " } else { "" });
        statement = statement.name(column.database_name).words(" = ");
        statement = match changes.derived_from(*position) {
            None => statement.value(column, value)?,
            Some(causes) => {
                statement = statement.words("CASE WHEN FALSE");
                for (cause, new) in causes {
                    let cause = &table.columns[*cause];
                    statement = statement
                        .words(" OR ")
                        .compare(cause, " IS DISTINCT FROM ", new)?;
                }
                let statement = statement.words(" THEN ").value(column, value)?;
                statement.words(" ELSE ").name(column.database_name).words(" END")
            }
        };
    }
    statement = statement.filter(select)?.and_key(table, " = ", key)?;
    for (column, value) in std::iter::zip(table.columns, unchanged.map_or(&[][..], Record::values)) {
        statement = statement
            .words(" AND ")
            .compare(column, " IS NOT DISTINCT FROM ", value)?;
    }
    let statement = statement.words(" RETURNING ").words(&TableSql::of(table).columns);
    let written = WrittenValues::Changes(&changes.values);
    let saved = returning(session, table, &statement, written, keep).await?;
    match (saved, unchanged) {
        (Some(kept), _) => Ok(Updated::Row(kept)),
        (None, None) => Ok(Updated::Missing),
        (None, Some(_)) => {
            let found =
                fetch::find(session, select, &RowKey::Primary(key.clone()), copy_record(table)).await?;
            Ok(found.map_or(Updated::Missing, Updated::Stale))
        }
    }
}

/// Deletes the row with this key, if it is one of the selected; tells whether it was there.
pub(super) async fn delete(session: &Executor, select: &AnyQuery, key: &RowKey) -> Result<bool> {
    let table = select.table();
    let texts = TableSql::of(table);
    let statement = match key {
        RowKey::Primary(key) if select.is_all() => {
            PostgresStatement::ready(&texts.delete_key).bind_sought(table.key(), key)?
        }
        _ => {
            let statement = PostgresStatement::new("DELETE FROM ").name(table.name);
            statement
                .filter(select)?
                .and_row(table, key)?
                .words(table_sql::RETURNING_ONE)
        }
    };
    match session.write(&statement).await {
        Ok(deleted) => Ok(!deleted.is_empty()),
        Err(StatementError::Database(error)) => Err(violation::of_deletion(&error)),
        Err(StatementError::Other(error)) => Err(error),
    }
}

/// Deletes all selected rows; returns their number, which the server counts.
pub(super) async fn delete_where(session: &Executor, select: &AnyQuery) -> Result<u64> {
    let statement = PostgresStatement::new("WITH deleted AS (DELETE FROM ").name(select.table().name);
    let statement = statement.filter(select)?;
    let statement = statement.words(" RETURNING 1) SELECT count(*) FROM deleted");
    match session.write(&statement).await {
        Ok(rows) => {
            let deleted = rows.first().and_then(|row| row.try_get::<_, i64>(0).ok());
            deleted
                .map(i64::unsigned_abs)
                .ok_or_else(|| Error::Failed("the server did not count".to_owned()))
        }
        Err(StatementError::Database(error)) => Err(violation::of_deletion(&error)),
        Err(StatementError::Other(error)) => Err(error),
    }
}

/// The same, giving what is made of the row as it was.
pub(super) async fn delete_with<T>(
    session: &Executor,
    select: &AnyQuery,
    key: &RowKey,
    keep: impl MapRow<T>,
) -> Result<Option<T>> {
    let table = select.table();
    let statement = PostgresStatement::new("DELETE FROM ").name(table.name);
    let statement = statement.filter(select)?.and_row(table, key)?;
    let statement = statement.words(" RETURNING ").words(&TableSql::of(table).columns);
    match session.write(&statement).await {
        Ok(rows) => kept(rows, table, keep),
        Err(StatementError::Database(error)) => Err(violation::of_deletion(&error)),
        Err(StatementError::Other(error)) => Err(error),
    }
}

async fn returning<T>(
    session: &Executor,
    table: &'static Table,
    statement: &PostgresStatement<'_>,
    written: WrittenValues<'_>,
    keep: impl MapRow<T>,
) -> Result<Option<T>> {
    match session.write(statement).await {
        Ok(rows) => kept(rows, table, keep),
        Err(StatementError::Database(error)) => {
            Err(violation::of_values(session, table, written, &error).await)
        }
        Err(StatementError::Other(error)) => Err(error),
    }
}

/// What is made of the one row that a statement wrote, if it wrote one.
fn kept<T>(
    mut rows: Vec<tokio_postgres::Row>,
    table: &'static Table,
    keep: impl MapRow<T>,
) -> Result<Option<T>> {
    let row = rows.pop().map(|row| PostgresRow::new(row, table));
    row.map(|row| row.keep(&keep)).transpose()
}
