//! Constraint violations as client errors.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::errors::Errors;
use model_resource_schema::value::{Value, ValueRef};
use tokio_postgres::error::{DbError, SqlState};

use super::error::{breaks_foreign_key, map_error};
use super::executor::Executor;
use super::fetch;
use super::statement::PostgresStatement;
use crate::error::{Error, Result};
use crate::row_key::RowKey;
use crate::sql::SqlWriter as _;
use crate::violation_errors;
use model_resource_schema::query::AnyQuery;

/// Lists the columns of an index, in order.
const INDEXED: &str = "SELECT a.attname::text FROM pg_index i \
    CROSS JOIN unnest(i.indkey) WITH ORDINALITY k (number, place) \
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
    WHERE i.indexrelid = to_regclass(quote_ident($1) || '.' || quote_ident($2)) AND k.place <= i.indnkeyatts \
    ORDER BY k.place";

/// Values of the failed statement.
#[derive(Clone, Copy)]
pub(super) enum WrittenValues<'w> {
    New(&'w [(usize, Value)]),
    Changes(&'w [(usize, Value)]),
}

impl<'w> WrittenValues<'w> {
    fn values(self) -> &'w [(usize, Value)] {
        match self {
            WrittenValues::New(values) | WrittenValues::Changes(values) => values,
        }
    }
}

/// Maps an error of an INSERT or UPDATE.
pub(super) async fn of_values(
    executor: &Executor,
    table: &'static Table,
    written: WrittenValues<'_>,
    error: &tokio_postgres::Error,
) -> Error {
    if breaks_foreign_key(error) {
        return of_references(executor, table, written).await;
    }
    let Some(db_error) = error.as_db_error() else {
        return map_error(error);
    };
    match *db_error.code() {
        SqlState::UNIQUE_VIOLATION => of_uniques(executor, table, written, db_error)
            .await
            .unwrap_or_else(|error| error),
        SqlState::NOT_NULL_VIOLATION => {
            let names = db_error.column().filter(|_| is_of(db_error, table));
            match violation_errors::client_columns(table, names.into_iter())[..] {
                [column] => violation_errors::required(table, column),
                _ => map_error(error),
            }
        }
        // The author of the trigger wrote the message for clients that violate it.
        SqlState::RAISE_EXCEPTION => Error::invalid_whole(db_error.message()),
        ref code if is_check_violation(code) => {
            tracing::debug!(
                table = table.name,
                message = db_error.message(),
                "a constraint rejected a row"
            );
            let name = db_error
                .constraint()
                .filter(|_| *code == SqlState::CHECK_VIOLATION);
            violation_errors::check_violated(table, name.unwrap_or_default())
        }
        _ => map_error(error),
    }
}

/// Whether an error is that of a row of this table. A table without a schema is found by the search path.
fn is_of(db_error: &DbError, table: &Table) -> bool {
    let is_in_schema = table.schema.is_none() || db_error.schema() == table.schema;
    is_in_schema && db_error.table() == Some(table.name_in_schema())
}

/// Whether another constraint failed, such as a check, or the database's column or index is narrower than the
/// model's.
fn is_check_violation(code: &SqlState) -> bool {
    ["22", "23", "54"]
        .iter()
        .any(|class| code.code().starts_with(class))
}

/// Maps an error of a DELETE.
pub(super) fn of_deletion(error: &tokio_postgres::Error) -> Error {
    match error.as_db_error() {
        Some(_) if breaks_foreign_key(error) => Error::Referenced,
        Some(db_error) if *db_error.code() == SqlState::RAISE_EXCEPTION => {
            Error::invalid_whole(db_error.message())
        }
        _ => map_error(error),
    }
}

/// Maps an error of a handwritten statement, whose table is unknown.
pub(super) fn of_raw_sql(error: &tokio_postgres::Error) -> Error {
    let Some(db_error) = error.as_db_error() else {
        return map_error(error);
    };
    match *db_error.code() {
        _ if breaks_foreign_key(error) => violation_errors::missing_reference(),
        SqlState::UNIQUE_VIOLATION => violation_errors::row_not_unique(),
        SqlState::RAISE_EXCEPTION => Error::invalid_whole(db_error.message()),
        ref code if code.code().starts_with("23") => violation_errors::check_failed(),
        _ => map_error(error),
    }
}

/// Finds all broken foreign keys by looking each one up, since PostgreSQL names only one.
async fn of_references(executor: &Executor, table: &'static Table, written: WrittenValues<'_>) -> Error {
    let mut errors = Errors::new();
    for (column, other, value) in violation_errors::references(table, written.values()) {
        let key = RowKey::Primary(value.clone());
        match fetch::exists(executor, &AnyQuery::from(other), &key).await {
            Ok(true) => {}
            Ok(false) => violation_errors::add_missing_reference(&mut errors, column),
            Err(error) => return error,
        }
    }
    let has_key = |values: &[(usize, Value)]| values.iter().any(|(column, _)| *column == table.primary_key);
    match written {
        _ if !errors.is_empty() => Error::Invalid(errors),
        WrittenValues::Changes(changes) if has_key(changes) => Error::Referenced,
        WrittenValues::Changes(_) | WrittenValues::New(_) => violation_errors::missing_reference(),
    }
}

/// Finds all values that are already taken. PostgreSQL names one constraint; if it covers a single column, the other
/// values are looked up too.
async fn of_uniques(
    executor: &Executor,
    table: &'static Table,
    written: WrittenValues<'_>,
    db_error: &DbError,
) -> Result<Error> {
    let columns = indexed(executor, table, db_error).await?;
    if columns.len() == 1 {
        let mut errors = Errors::new();
        for (column, value) in violation_errors::uniques(table, written.values()) {
            if fetch::exists_with(executor, table, column, value).await? {
                violation_errors::add_not_unique(&mut errors, table, column, value);
            }
        }
        if !errors.is_empty() {
            return Ok(Error::Invalid(errors));
        }
    }
    Ok(violation_errors::not_unique(table, &columns))
}

/// Returns the columns of the violated index; `None` if it belongs to another table or contains expressions.
async fn indexed(
    executor: &Executor,
    table: &'static Table,
    db_error: &DbError,
) -> Result<Vec<&'static Column>> {
    let (Some(schema), Some(index)) = (db_error.schema(), db_error.constraint()) else {
        return Ok(Vec::new());
    };
    if !is_of(db_error, table) {
        return Ok(Vec::new());
    }
    let statement = PostgresStatement::ready(INDEXED);
    let statement = statement
        .bind_one(ValueRef::Text(schema))
        .bind_one(ValueRef::Text(index));
    let rows = executor.read(&statement).await?;
    let names: Vec<String> = rows.iter().filter_map(|row| row.try_get(0).ok()).collect();
    Ok(violation_errors::client_columns(
        table,
        names.iter().map(String::as_str),
    ))
}
