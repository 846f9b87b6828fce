//! What clients are told when a database refuses their values, in the same words for every database.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::errors::Errors;
use model_resource_schema::message::{Message, code};
use model_resource_schema::value::Value;

use crate::error::Error;

/// The column that a client sees: the one that a slug is made from, not the slug.
fn visible(table: &Table, column: &'static Column) -> &'static Column {
    let source = column.role.slug_source();
    let source = source.and_then(|source| table.position(source));
    source.map_or(column, |source| &table.columns[source])
}

/// The columns of these names in the database.
pub(crate) fn named<'n>(table: &Table, names: impl Iterator<Item = &'n str>) -> Vec<&'static Column> {
    let column = |name| table.columns.iter().find(|column| column.database_name == name);
    names.filter_map(column).collect()
}

/// Another row has the values of these columns.
pub(crate) fn taken(table: &Table, columns: &[&'static Column]) -> Error {
    if let [column] = columns {
        let name = visible(table, column).wire_name();
        return Error::invalid(name, unique_message(table, column));
    }
    let labels = columns.iter().map(|column| visible(table, column).label());
    let labels: Vec<String> = labels.collect();
    let text = match labels.split_last() {
        Some((last, others)) => {
            let others = others.join(", ");
            format!("The combination of {others} and {last} is already taken.")
        }
        None => "A row with these values is there already.".to_owned(),
    };
    Error::invalid_whole(Message::new(code::UNIQUE, text))
}

/// The message of the column, or else that of the column which the client sees.
fn unique_message(table: &Table, column: &'static Column) -> Message {
    column.messages.replace(visible(table, column).unique_message())
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
    let name = visible(table, column).wire_name();
    if !errors.has(&name) {
        errors.add(name, unique_message(table, column));
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
    errors.add(column.wire_name(), column.reference_message());
}

/// Some column names a row that is not there.
pub(crate) fn absent() -> Error {
    Error::invalid_whole(Message::new(
        code::MISSING_REFERENCE,
        "Names a row that does not exist.",
    ))
}

/// The column must have a value.
pub(crate) fn required(table: &Table, column: &'static Column) -> Error {
    let seen = visible(table, column);
    Error::invalid(seen.wire_name(), seen.required_message())
}

/// The values break a rule that only the database knows.
pub(crate) fn rule() -> Error {
    Error::invalid_whole(Message::new(
        code::CONSTRAINT,
        "The values break a rule of the data.",
    ))
}
