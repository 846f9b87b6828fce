//! Increments of numbers: `{"views": {"$increment": 1}}`.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::errors::Errors;
use model_resource_schema::json::write_value;
use model_resource_schema::model::{Record, Row as _};
use model_resource_schema::query::AnyColumns;
use model_resource_schema::value::{Value as ColumnValue, ValueRef};
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

use crate::pipeline::{Error, Result};

/// Member of an increment.
pub(super) const INCREMENT: &str = "$increment";

const TOO_LARGE: &str = "The sum is too large.";

/// Replaces the increments of these columns by the new values of a row.
pub(super) fn incremented(
    table: &'static Table,
    columns: AnyColumns,
    row: &Record,
    mut members: Map<String, Value>,
) -> Result<Map<String, Value>> {
    let mut errors = Errors::new();
    let columns = table
        .columns
        .iter()
        .enumerate()
        .filter(|(position, _)| columns.contains(*position));
    for (position, column) in columns {
        let name = column.wire_name();
        let Some(step) = members.get(&name).and_then(step) else {
            continue;
        };
        match sum(column, row.value(position), step) {
            Ok(value) => {
                members.insert(name, value);
            }
            Err(message) => errors.add(name, message),
        }
    }
    if errors.is_empty() {
        Ok(members)
    } else {
        Err(Error::invalid(errors))
    }
}

/// The number of an increment.
fn step(value: &Value) -> Option<&Value> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    members.get(INCREMENT)
}

/// Adds a number to the value of a column.
fn sum(column: &Column, current: ValueRef<'_>, step: &Value) -> Result<Value, String> {
    let raw = to_raw_value(step).map_err(|error| error.to_string())?;
    let step = column
        .data_type
        .load(&raw)
        .map_err(|message| message.text().to_owned())?;
    let sum = match (current, step) {
        (ValueRef::Int(current), ColumnValue::Int(step)) => {
            current.checked_add(step).map(ColumnValue::Int).ok_or(TOO_LARGE)?
        }
        (ValueRef::Single(current), ColumnValue::Single(step)) => Some(current + step)
            .filter(|sum| sum.is_finite())
            .map(ColumnValue::Single)
            .ok_or(TOO_LARGE)?,
        (ValueRef::Double(current), ColumnValue::Double(step)) => Some(current + step)
            .filter(|sum| sum.is_finite())
            .map(ColumnValue::Double)
            .ok_or(TOO_LARGE)?,
        (ValueRef::Decimal(current), ColumnValue::Decimal(step)) => current
            .checked_add(step)
            .map(ColumnValue::Decimal)
            .ok_or(TOO_LARGE)?,
        (ValueRef::Null, _) => return Err("Is null and cannot be incremented.".to_owned()),
        _ => return Err("Only numbers can be incremented.".to_owned()),
    };
    let mut text = Vec::new();
    write_value(&mut text, sum.borrow());
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}
