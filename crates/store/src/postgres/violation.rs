//! What a broken constraint means for the client.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::errors::Errors;
use model_resource_schema::value::{Value, ValueRef};
use tokio_postgres::error::{DbError, SqlState};

use super::error::{breaks_foreign_key, map_error};
use super::executor::Executor;
use super::fetch;
use super::statement::PostgresStatement;
use crate::error::{Error, Result};
use crate::query::AnyQuery;
use crate::row_key::RowKey;
use crate::violation_errors;

/// The names of an index's columns, in their order.
const INDEXED: &str = "SELECT a.attname::text FROM pg_index i \
    CROSS JOIN unnest(i.indkey) WITH ORDINALITY k (number, place) \
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
    WHERE i.indexrelid = to_regclass(quote_ident($1) || '.' || quote_ident($2)) AND k.place <= i.indnkeyatts \
    ORDER BY k.place";

/// What was to be written.
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

/// What is wrong with the values that were to be written.
pub(super) async fn of_values(
    session: &Executor,
    table: &'static Table,
    written: WrittenValues<'_>,
    error: &tokio_postgres::Error,
) -> Error {
    if breaks_foreign_key(error) {
        return of_references(session, table, written).await;
    }
    let Some(refused) = error.as_db_error() else {
        return map_error(error);
    };
    match *refused.code() {
        SqlState::UNIQUE_VIOLATION => of_uniques(session, table, written, refused)
            .await
            .unwrap_or_else(|error| error),
        SqlState::NOT_NULL_VIOLATION => {
            let names = refused.column().filter(|_| refused.table() == Some(table.name));
            match violation_errors::client_columns(table, names.into_iter())[..] {
                [column] => violation_errors::required(table, column),
                _ => map_error(error),
            }
        }
        // The author of the trigger wrote the message for whoever breaks the rule.
        SqlState::RAISE_EXCEPTION => Error::invalid_whole(refused.message()),
        ref code if is_check_violation(code) => {
            tracing::debug!(
                table = table.name,
                message = refused.message(),
                "a rule refused a row"
            );
            violation_errors::check_failed()
        }
        _ => map_error(error),
    }
}

/// Other constraints, such as checks, and values that the database's column or index cannot hold though the model's can.
fn is_check_violation(code: &SqlState) -> bool {
    ["22", "23", "54"]
        .iter()
        .any(|class| code.code().starts_with(class))
}

/// What keeps a row from being deleted.
pub(super) fn of_deletion(error: &tokio_postgres::Error) -> Error {
    match error.as_db_error() {
        Some(_) if breaks_foreign_key(error) => Error::Referenced,
        Some(refused) if *refused.code() == SqlState::RAISE_EXCEPTION => {
            Error::invalid_whole(refused.message())
        }
        _ => map_error(error),
    }
}

/// PostgreSQL names one foreign key that leads nowhere, so each one that was written is looked up.
async fn of_references(session: &Executor, table: &'static Table, written: WrittenValues<'_>) -> Error {
    let mut errors = Errors::new();
    for (column, other, value) in violation_errors::references(table, written.values()) {
        let key = RowKey::Primary(value.clone());
        match fetch::exists(session, &AnyQuery::from(other), &key).await {
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

/// PostgreSQL names one constraint; if it is that of a single value, the others that were written are looked up too.
async fn of_uniques(
    session: &Executor,
    table: &'static Table,
    written: WrittenValues<'_>,
    refused: &DbError,
) -> Result<Error> {
    let columns = indexed(session, table, refused).await?;
    if columns.len() == 1 {
        let mut errors = Errors::new();
        for (column, value) in violation_errors::uniques(table, written.values()) {
            if fetch::exists_with(session, table, column, value).await? {
                violation_errors::add_not_unique(&mut errors, table, column, value);
            }
        }
        if !errors.is_empty() {
            return Ok(Error::Invalid(errors));
        }
    }
    Ok(violation_errors::not_unique(table, &columns))
}

/// The columns of the index that refused a row; none if it is another table's or made of expressions.
async fn indexed(
    session: &Executor,
    table: &'static Table,
    refused: &DbError,
) -> Result<Vec<&'static Column>> {
    let (Some(schema), Some(index)) = (refused.schema(), refused.constraint()) else {
        return Ok(Vec::new());
    };
    if refused.table() != Some(table.name) {
        return Ok(Vec::new());
    }
    let statement = PostgresStatement::ready(INDEXED);
    let statement = statement
        .bind_one(ValueRef::Text(schema))
        .bind_one(ValueRef::Text(index));
    let rows = session.read(&statement).await?;
    let names: Vec<String> = rows.iter().filter_map(|row| row.try_get(0).ok()).collect();
    Ok(violation_errors::client_columns(
        table,
        names.iter().map(String::as_str),
    ))
}
