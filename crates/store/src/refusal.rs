//! What clients are told when a database refuses their values, in the same words for every database.

use model_resource_schema::column::{Column, Role, Table};
use model_resource_schema::errors::Errors;
use model_resource_schema::message::{Message, code};
use model_resource_schema::value::Value;

use crate::error::Error;

/// A client sees the text that a slug is made of, not the slug.
pub(crate) fn visible(table: &Table, column: &'static Column) -> &'static Column {
    match column.role {
        Role::Slug(source) => table
            .position(source)
            .map_or(column, |source| &table.columns[source]),
        Role::Data | Role::PrimaryKey(_) | Role::Created | Role::Updated => column,
    }
}

/// The visible columns of these names.
pub(crate) fn named<'n>(table: &Table, names: impl Iterator<Item = &'n str>) -> Vec<&'static Column> {
    let column = |name| Some(visible(table, &table.columns[table.position(name)?]));
    names.filter_map(column).collect()
}

/// Another row has the values of these columns.
pub(crate) fn taken(columns: &[&Column]) -> Error {
    let labels: Vec<String> = columns.iter().map(|column| column.label()).collect();
    match (columns, labels.split_last()) {
        ([column], Some((label, _))) => Error::invalid(column.wire_name(), Message::unique(label)),
        (_, Some((last, others))) => {
            let text = format!(
                "The combination of {} and {last} is already taken.",
                others.join(", ")
            );
            Error::invalid_whole(Message::new(code::UNIQUE, text))
        }
        (_, None) => Error::invalid_whole(Message::new(
            code::UNIQUE,
            "A row with these values is there already.",
        )),
    }
}

/// Of the written values, those that no two rows may share: a database names only the first that is taken.
pub(crate) fn uniques<'w>(
    table: &'static Table,
    written: &'w [(usize, Value)],
) -> impl Iterator<Item = (&'static Column, &'w Value)> {
    let is_unique = |position: usize| table.columns[position].unique || position == table.primary_key;
    written
        .iter()
        .filter(move |(position, value)| is_unique(*position) && !value.is_null())
        .map(|(position, value)| (&table.columns[*position], value))
}

/// Adds that a column's value is taken, once.
pub(crate) fn add_taken(errors: &mut Errors, table: &Table, column: &'static Column) {
    let seen = visible(table, column);
    if !errors.has(&seen.wire_name()) {
        errors.add(seen.wire_name(), Message::unique(&seen.label()));
    }
}

/// Of the written values, those that name a row of another table.
pub(crate) fn references<'w>(
    table: &'static Table,
    written: &'w [(usize, Value)],
) -> impl Iterator<Item = (&'static Column, &'static Table, &'w Value)> {
    written.iter().filter_map(|(position, value)| {
        let column = &table.columns[*position];
        let references = column.references.filter(|_| !value.is_null())?;
        Some((column, (references.table)(), value))
    })
}

/// Adds that a column names a row that is not there.
pub(crate) fn add_absent(errors: &mut Errors, column: &Column) {
    errors.add(column.wire_name(), Message::missing_reference(&column.label()));
}

/// Some column names a row that is not there.
pub(crate) fn absent() -> Error {
    Error::invalid_whole(Message::new(
        code::MISSING_REFERENCE,
        "Names a row that does not exist.",
    ))
}

/// The column must have a value.
pub(crate) fn required(column: &Column) -> Error {
    Error::invalid(column.wire_name(), Message::required(&column.label()))
}

/// The values break a rule that only the database knows.
pub(crate) fn rule() -> Error {
    Error::invalid_whole(Message::new(
        code::CONSTRAINT,
        "The values break a rule of the data.",
    ))
}
