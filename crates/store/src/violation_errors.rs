//! Client errors for constraint violations, with the same messages for every database.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::errors::Errors;
use model_resource_schema::message::{Message, code};
use model_resource_schema::naming::shortened;
use model_resource_schema::table_constraints::UniqueConstraint;
use model_resource_schema::value::Value;

use crate::error::Error;

/// Returns the column that a client sees: for a slug, its source.
fn client_column(table: &Table, column: &'static Column) -> &'static Column {
    slug_source(table, column).unwrap_or(column)
}

/// Returns the source column of a slug.
fn slug_source(table: &Table, column: &Column) -> Option<&'static Column> {
    let source = table.position(column.role.slug_source()?)?;
    Some(&table.columns[source])
}

/// Returns the columns with these database names.
pub(crate) fn client_columns<'n>(
    table: &Table,
    names: impl Iterator<Item = &'n str>,
) -> Vec<&'static Column> {
    let column = |name| table.columns.iter().find(|column| column.database_name == name);
    names.filter_map(column).collect()
}

/// Error for columns whose values another row already has: of the field if clients see one of them, else of the object.
/// Hidden columns are not named.
pub(crate) fn not_unique(table: &Table, columns: &[&'static Column]) -> Error {
    let is_seen = |column: &&&'static Column| !client_column(table, column).hidden;
    let seen: Vec<&'static Column> = columns.iter().filter(is_seen).copied().collect();
    let custom = unique_constraint(table, columns).and_then(|unique| unique.message);
    let custom = custom.map(|text| Message::new(code::UNIQUE, text));
    match seen[..] {
        [] => custom.map_or_else(row_not_unique, Error::invalid_whole),
        [column] => {
            let name = client_column(table, column).wire_name();
            Error::invalid(
                name,
                custom.unwrap_or_else(|| unique_message(table, column, None)),
            )
        }
        _ => Error::invalid_whole(custom.unwrap_or_else(|| combination_message(table, &seen))),
    }
}

/// Returns the declared constraint that makes exactly these columns unique.
fn unique_constraint(table: &Table, columns: &[&'static Column]) -> Option<&'static UniqueConstraint> {
    let has = |position: &usize| {
        columns
            .iter()
            .any(|column| column.name == table.columns[*position].name)
    };
    let is_violated =
        |unique: &&UniqueConstraint| unique.columns.len() == columns.len() && unique.columns.iter().all(has);
    table.uniques.iter().find(is_violated)
}

/// Message for values of several columns that another row already has.
fn combination_message(table: &Table, columns: &[&'static Column]) -> Message {
    let label = |column: &&'static Column| match slug_source(table, column) {
        Some(source) => format!("the {} of {}", column.label().to_lowercase(), source.label()),
        None => column.label(),
    };
    let labels: Vec<String> = columns.iter().map(label).collect();
    let (last, others) = labels.split_last().expect("several columns");
    let others = others.join(", ");
    Message::new(
        code::UNIQUE,
        format!("The combination of {others} and {last} is already taken."),
    )
}

/// Error for unknown columns whose values another row already has.
pub(crate) fn row_not_unique() -> Error {
    let text = "A row with these values already exists.";
    Error::invalid_whole(Message::new(code::UNIQUE, text))
}

/// Message for a value that another row already has. A custom message of the column takes precedence over that of a
/// slug's source.
fn unique_message(table: &Table, column: &'static Column, value: Option<&Value>) -> Message {
    match slug_source(table, column) {
        Some(source) => {
            let message = source.messages.replace(slug_message(column, source, value));
            column.messages.replace(message)
        }
        None => column.unique_message(),
    }
}

/// Message for a slug that another row already has: its source may be repeatable, or differ.
fn slug_message(slug: &Column, source: &Column, value: Option<&Value>) -> Message {
    let (slug, source) = (slug.label().to_lowercase(), source.label().to_lowercase());
    let text = match value {
        Some(Value::Text(value)) => {
            let value = shortened(value);
            format!("Its {slug} \"{value}\" is already taken; choose another {source}.")
        }
        _ => format!("Its {slug} is already taken; choose another {source}."),
    };
    Message::new(code::UNIQUE, text)
}

/// Written values of unique columns. All are checked, because a database names only the first conflict. Slugs come
/// last, since a conflict of the source itself says more.
pub(crate) fn uniques<'w>(
    table: &'static Table,
    written: &'w [(usize, Value)],
) -> impl Iterator<Item = (&'static Column, &'w Value)> {
    let is_unique = |position: usize| table.columns[position].unique || position == table.primary_key;
    let uniques = written
        .iter()
        .filter(move |(position, value)| is_unique(*position) && !value.is_null())
        .map(|(position, value)| (&table.columns[*position], value));
    let is_slug = |(column, _): &(&'static Column, _)| column.role.slug_source().is_some();
    let others = uniques.clone().filter(move |unique| !is_slug(unique));
    others.chain(uniques.filter(is_slug))
}

/// Adds a uniqueness error for a column, once.
pub(crate) fn add_not_unique(errors: &mut Errors, table: &Table, column: &'static Column, value: &Value) {
    let name = client_column(table, column).wire_name();
    if !errors.has(&name) {
        errors.add(name, unique_message(table, column, Some(value)));
    }
}

/// Written values of foreign keys.
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

/// Adds an error for a foreign key to a missing row.
pub(crate) fn add_missing_reference(errors: &mut Errors, column: &Column) {
    errors.add(column.wire_name(), column.reference_message());
}

/// Error for an unknown foreign key to a missing row.
pub(crate) fn missing_reference() -> Error {
    Error::invalid_whole(Message::new(
        code::MISSING_REFERENCE,
        "Names a row that does not exist.",
    ))
}

/// Error for a column that must have a value.
pub(crate) fn required(table: &Table, column: &'static Column) -> Error {
    let client_column = client_column(table, column);
    Error::invalid(client_column.wire_name(), client_column.required_message())
}

/// Error for a violated check, by the name of its constraint.
pub(crate) fn check_violated(table: &Table, name: &str) -> Error {
    match table.check(name) {
        Some(check) => Error::Invalid(table.check_error(check)),
        None => check_failed(),
    }
}

/// Error for a constraint that only the database knows.
pub(crate) fn check_failed() -> Error {
    Error::invalid_whole(Message::new(
        code::CONSTRAINT,
        "The values break a rule of the data.",
    ))
}
