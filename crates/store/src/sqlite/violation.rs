//! What a broken constraint means for the client.

use model_resource_schema::column::{Column, Role, Table};
use model_resource_schema::errors::Errors;
use model_resource_schema::value::Value;
use rusqlite::{Connection, ffi};

use super::fault::{breaks_foreign_key, fault};
use super::fetch;
use crate::error::Error;

/// What is wrong with the values that were to be written.
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
        return fault(error);
    };
    match code.extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            match named(table, message)[..] {
                [_] => {
                    of_uniques(connection, table, written).unwrap_or_else(|| taken(&named(table, message)))
                }
                ref columns => taken(columns),
            }
        }
        ffi::SQLITE_CONSTRAINT_NOTNULL => match named(table, message)[..] {
            [column] => Error::invalid(column.wire_name(), format!("{} is required.", column.label())),
            _ => fault(error),
        },
        ffi::SQLITE_CONSTRAINT_CHECK => {
            tracing::debug!(table = table.name, %message, "a check refused a row");
            Error::invalid_whole("The values break a rule of the data.")
        }
        // The author of the trigger wrote the message for whoever breaks the rule.
        ffi::SQLITE_CONSTRAINT_TRIGGER => Error::invalid_whole(message.as_str()),
        _ => fault(error),
    }
}

/// What keeps a row from being deleted.
pub(super) fn of_deletion(error: rusqlite::Error) -> Error {
    match &error {
        _ if breaks_foreign_key(&error) => Error::Referenced,
        rusqlite::Error::SqliteFailure(code, Some(message))
            if code.extended_code == ffi::SQLITE_CONSTRAINT_TRIGGER =>
        {
            Error::invalid_whole(message.as_str())
        }
        _ => fault(error),
    }
}

/// SQLite does not say which foreign key leads nowhere, so each one that was written is looked up.
fn of_references(connection: &Connection, table: &'static Table, written: &[(usize, Value)]) -> Error {
    let mut errors = Errors::new();
    for (position, value) in written {
        let column = &table.columns[*position];
        let Some(references) = column.references.filter(|_| !value.is_null()) else {
            continue;
        };
        match fetch::exists(connection, (references.table)(), value) {
            Ok(true) => {}
            Ok(false) => errors.add(column.wire_name(), format!("{} does not exist.", column.label())),
            Err(error) => return error,
        }
    }
    match errors.is_empty() {
        false => Error::Invalid(errors),
        true if written.iter().any(|(position, _)| *position == table.primary_key) => Error::Referenced,
        true => Error::invalid_whole("Names a row that does not exist."),
    }
}

/// SQLite names the first value that is taken, so each one that was written is looked up.
fn of_uniques(connection: &Connection, table: &'static Table, written: &[(usize, Value)]) -> Option<Error> {
    let mut errors = Errors::new();
    for (position, value) in written {
        let column = &table.columns[*position];
        let seen = visible(table, column);
        let is_unique = (column.unique || *position == table.primary_key) && !errors.has(&seen.wire_name());
        if is_unique && !value.is_null() && fetch::exists_with(connection, table, column, value).ok()? {
            errors.add(seen.wire_name(), format!("{} is already taken.", seen.label()));
        }
    }
    (!errors.is_empty()).then_some(Error::Invalid(errors))
}

/// The columns that a message names, as in `UNIQUE constraint failed: users.email, users.tenant`.
fn named(table: &Table, message: &str) -> Vec<&'static Column> {
    let names = message.split_once(": ").map_or("", |(_, names)| names);
    let column = |name: &str| {
        let name = name.strip_prefix(table.name)?.strip_prefix('.')?;
        Some(&table.columns[table.position(name)?])
    };
    names
        .split(", ")
        .filter_map(column)
        .map(|column| visible(table, column))
        .collect()
}

/// A client sees the text that a slug is made of, not the slug.
fn visible(table: &Table, column: &'static Column) -> &'static Column {
    match column.role {
        Role::Slug(source) => table
            .position(source)
            .map_or(column, |source| &table.columns[source]),
        Role::Data | Role::PrimaryKey(_) | Role::Created | Role::Updated => column,
    }
}

fn taken(columns: &[&Column]) -> Error {
    let labels: Vec<String> = columns.iter().map(|column| column.label()).collect();
    match (columns, labels.split_last()) {
        ([column], Some((label, _))) => {
            Error::invalid(column.wire_name(), format!("{label} is already taken."))
        }
        (_, Some((last, others))) => Error::invalid_whole(format!(
            "The combination of {} and {last} is already taken.",
            others.join(", ")
        )),
        (_, None) => Error::invalid_whole("A row with these values is there already."),
    }
}
