//! Constraint violations as client errors.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::errors::Errors;
use model_resource_schema::value::Value;
use rusqlite::{Connection, ffi};

use super::error::{breaks_foreign_key, map_error};
use super::fetch;
use crate::error::Error;
use crate::row_key::RowKey;
use crate::violation_errors;
use model_resource_schema::query::AnyQuery;

/// Maps an error of an INSERT or UPDATE.
pub(super) fn of_values(
    connection: &Connection,
    table: &'static Table,
    written: &[(usize, Value)],
    error: rusqlite::Error,
) -> Error {
    if breaks_foreign_key(&error) {
        return of_references(connection, table, written);
    }
    let rusqlite::Error::SqliteFailure(code, Some(message)) = &error else {
        return map_error(error);
    };
    match code.extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            match columns_in(table, message)[..] {
                [_] => of_uniques(connection, table, written)
                    .unwrap_or_else(|| violation_errors::not_unique(table, &columns_in(table, message))),
                ref columns => violation_errors::not_unique(table, columns),
            }
        }
        ffi::SQLITE_CONSTRAINT_NOTNULL => match columns_in(table, message)[..] {
            [column] => violation_errors::required(table, column),
            _ => map_error(error),
        },
        ffi::SQLITE_CONSTRAINT_CHECK => {
            tracing::debug!(table = table.name, %message, "a check constraint rejected a row");
            let name = message.split_once(": ").map_or("", |(_, name)| name);
            violation_errors::check_violated(table, name)
        }
        // The author of the trigger wrote the message for clients that violate it.
        ffi::SQLITE_CONSTRAINT_TRIGGER => Error::invalid_whole(message.as_str()),
        _ => map_error(error),
    }
}

/// Maps an error of a DELETE.
pub(super) fn of_deletion(error: rusqlite::Error) -> Error {
    match &error {
        _ if breaks_foreign_key(&error) => Error::Referenced,
        rusqlite::Error::SqliteFailure(code, Some(message))
            if code.extended_code == ffi::SQLITE_CONSTRAINT_TRIGGER =>
        {
            Error::invalid_whole(message.as_str())
        }
        _ => map_error(error),
    }
}

/// Maps an error of a handwritten statement, whose table is unknown.
pub(super) fn of_raw_sql(error: rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(code, Some(message)) = &error else {
        return map_error(error);
    };
    match code.extended_code {
        _ if breaks_foreign_key(&error) => violation_errors::missing_reference(),
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            violation_errors::row_not_unique()
        }
        ffi::SQLITE_CONSTRAINT_NOTNULL | ffi::SQLITE_CONSTRAINT_CHECK => violation_errors::check_failed(),
        ffi::SQLITE_CONSTRAINT_TRIGGER => Error::invalid_whole(message.as_str()),
        _ => map_error(error),
    }
}

/// Finds the broken foreign keys by looking each one up, since SQLite does not name them.
fn of_references(connection: &Connection, table: &'static Table, written: &[(usize, Value)]) -> Error {
    let mut errors = Errors::new();
    for (column, other, value) in violation_errors::references(table, written) {
        let key = RowKey::Primary(value.clone());
        match fetch::exists(connection, &AnyQuery::from(other), &key) {
            Ok(true) => {}
            Ok(false) => violation_errors::add_missing_reference(&mut errors, column),
            Err(error) => return error,
        }
    }
    if !errors.is_empty() {
        Error::Invalid(errors)
    } else if written.iter().any(|(position, _)| *position == table.primary_key) {
        Error::Referenced
    } else {
        violation_errors::missing_reference()
    }
}

/// Finds all values that are already taken, since SQLite names only the first.
fn of_uniques(connection: &Connection, table: &'static Table, written: &[(usize, Value)]) -> Option<Error> {
    let mut errors = Errors::new();
    for (column, value) in violation_errors::uniques(table, written) {
        if fetch::exists_with(connection, table, column, value).ok()? {
            violation_errors::add_not_unique(&mut errors, table, column, value);
        }
    }
    (!errors.is_empty()).then_some(Error::Invalid(errors))
}

/// Parses the columns in a message such as `UNIQUE constraint failed: users.email, users.tenant`.
fn columns_in(table: &Table, message: &str) -> Vec<&'static Column> {
    let names = message.split_once(": ").map_or("", |(_, names)| names);
    let own = names
        .split(", ")
        .filter_map(|name| name.strip_prefix(table.name)?.strip_prefix('.'));
    violation_errors::client_columns(table, own)
}
