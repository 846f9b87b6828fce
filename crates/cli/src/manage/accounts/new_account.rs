//! Options of `user create`: the columns of a new account.

use clap::{Arg, ArgMatches, Command};
use model_resource::schema::column::{Column, ColumnRole};
use model_resource::schema::value::Value;
use model_resource::{Draft, Errors, Field};
use model_resource_security::Account;

/// Adds an option for each login name and each other column that a new account needs.
pub(super) fn with_columns<A: Account>(command: Command) -> Command {
    let columns = needed_columns::<A>().map(|(_, column)| {
        Arg::new(column.name)
            .long(column.name.replace('_', "-"))
            .value_name(column.name.to_uppercase())
            .required(true)
            .help(help(column))
    });
    command.args(columns)
}

/// Returns an account with the values of the options; invalid ones are errors of their fields.
pub(super) fn draft<A: Account>(matches: &ArgMatches, errors: &mut Errors) -> Draft<A> {
    let mut draft = Draft::new();
    for (position, column) in needed_columns::<A>() {
        let Some(text) = matches.get_one::<String>(column.name) else {
            continue;
        };
        match column.data_type.parse(text) {
            Ok(value) => set(&mut draft, position, value),
            Err(message) => errors.add(column.wire_name(), message),
        }
    }
    draft
}

fn needed_columns<A: Account>() -> impl Iterator<Item = (usize, &'static Column)> {
    let columns = A::table().columns.iter().enumerate();
    columns.filter(|(position, column)| {
        let is_name = A::LOGIN_NAMES.iter().any(|name| name.position() == *position);
        let is_needed =
            column.role == ColumnRole::Data && !column.hidden && !column.nullable && column.default.is_none();
        is_name || is_needed
    })
}

/// Sets a column of any type, so that its constraints are checked.
fn set<A: Account>(draft: &mut Draft<A>, column: usize, value: Value) {
    match value {
        Value::Bool(value) => draft.set(Field::at(column), value),
        Value::Int(value) => draft.set(Field::at(column), value),
        Value::Single(value) => draft.set(Field::at(column), value),
        Value::Double(value) => draft.set(Field::at(column), value),
        Value::Text(value) => draft.set(Field::at(column), value),
        Value::Bytes(value) => draft.set(Field::at(column), value),
        Value::Decimal(value) => draft.set(Field::at(column), value),
        Value::Date(value) => draft.set(Field::at(column), value),
        Value::Time(value) => draft.set(Field::at(column), value),
        Value::Timestamp(value) => draft.set(Field::at(column), value),
        Value::Uuid(value) => draft.set(Field::at(column), value),
        Value::Json(_) | Value::Null => draft.set(Field::<A, Option<String>>::at(column), None),
    }
}

/// First sentence of the column's documentation.
fn help(column: &Column) -> String {
    let sentence = column.description.split(". ").next().unwrap_or_default();
    match sentence.trim_end_matches('.') {
        "" => format!("The {}", column.label().to_lowercase()),
        sentence => sentence.to_owned(),
    }
}
