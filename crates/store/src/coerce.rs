//! Coercion of values to the type of their column, the same for every database.

use model_resource_schema::calendar;
use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::{DataType, fit_decimal};
use model_resource_schema::message::Message;
use model_resource_schema::value::{Value, ValueRef};

use crate::error::{Error, Result};

/// Converts a value to the form the column stores. Returns `StoreError::Invalid` if the column cannot store it exactly.
pub(crate) fn coerce<'v>(column: &Column, value: &'v Value) -> Result<ValueRef<'v>> {
    match (column.data_type, value) {
        (_, Value::Null) => {}
        (DataType::Bool, Value::Bool(_)) => {}
        (DataType::I16, Value::Int(v)) if i16::try_from(*v).is_err() => return mismatch(column),
        (DataType::I32, Value::Int(v)) if i32::try_from(*v).is_err() => return mismatch(column),
        (DataType::I16 | DataType::I32 | DataType::I64, Value::Int(_)) => {}
        // SQLite would store NaN as NULL, and JSON has no infinity.
        (DataType::F32, Value::Single(v)) if !v.is_finite() => return mismatch(column),
        (DataType::F64, Value::Double(v)) if !v.is_finite() => return mismatch(column),
        // SQLite has no negative zero, so no database stores one.
        (DataType::F32, Value::Single(v)) => return Ok(ValueRef::Single(v + 0.0)),
        (DataType::F64, Value::Double(v)) => return Ok(ValueRef::Double(v + 0.0)),
        (DataType::Enum(names), Value::Text(v)) if !names.contains(&v.as_str()) => return mismatch(column),
        (DataType::Text | DataType::Enum(_), Value::Text(_)) | (DataType::Bytes, Value::Bytes(_)) => {}
        (DataType::Decimal { precision, scale }, Value::Decimal(v)) => {
            let fitting = fit_decimal(*v, precision, scale);
            return fitting
                .map(ValueRef::Decimal)
                .map_err(|message| invalid(column, message));
        }
        // Clients can neither read nor send years before 1.
        (DataType::Date, Value::Date(v)) if v.year() < 1 => return mismatch(column),
        (DataType::Timestamp, Value::Timestamp(v)) if v.as_microsecond() < calendar::MIN_MICROS => {
            return mismatch(column);
        }
        // A time of day that no column holds, such as a leap second of chrono.
        (DataType::Time, Value::Timestamp(_)) => return mismatch(column),
        (DataType::Date, Value::Date(_)) | (DataType::Time, Value::Time(_)) => {}
        (DataType::Timestamp, Value::Timestamp(_)) => {}
        (DataType::Uuid, Value::Uuid(_)) | (DataType::Json, Value::Json(_)) => {}
        (
            kind @ (DataType::Bool
            | DataType::I16
            | DataType::I32
            | DataType::I64
            | DataType::F32
            | DataType::F64
            | DataType::Text
            | DataType::Enum(_)
            | DataType::Bytes
            | DataType::Decimal { .. }
            | DataType::Date
            | DataType::Time
            | DataType::Timestamp
            | DataType::Uuid
            | DataType::Json),
            _,
        ) => {
            // The value is left out: it may be a secret, and this message is logged.
            return Err(Error::Failed(format!(
                "column `{}` takes only values of {kind:?}",
                column.database_name
            )));
        }
    }
    Ok(value.borrow())
}

/// Converts a value to search for. A value that the column cannot store becomes NULL, which matches nothing.
pub(crate) fn coerce_for_search<'v>(column: &Column, value: &'v Value) -> Result<ValueRef<'v>> {
    match (value, coerce(column, value)) {
        (_, Err(Error::Invalid(_))) => Ok(ValueRef::Null),
        // No stored text contains NUL, and PostgreSQL rejects it as a parameter.
        (Value::Text(text), Ok(_)) if text.contains('\0') => Ok(ValueRef::Null),
        (_, fitting) => fitting,
    }
}

/// Error for a value of a row that does not have the type of its column; the value itself may be a secret.
pub(crate) fn stored_mismatch(
    table: &Table,
    column: usize,
    expected: DataType,
    found: Option<impl std::fmt::Display>,
) -> Error {
    let name = table
        .columns
        .get(column)
        .map_or("..", |column| column.database_name);
    let found = found.map_or("nothing".to_owned(), |found| format!("a value of {found}"));
    let table = table.name;
    Error::Failed(format!("`{table}.{name}` holds {found}, expected {expected:?}"))
}

fn mismatch<T>(column: &Column) -> Result<T> {
    Err(invalid(column, column.data_type.type_message()))
}

fn invalid(column: &Column, message: Message) -> Error {
    Error::invalid(column.wire_name(), column.messages.replace(message))
}
