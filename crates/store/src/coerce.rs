//! What a column can hold, whatever database keeps it.

use jiff::Timestamp;
use model_resource_schema::calendar;
use model_resource_schema::column::Column;
use model_resource_schema::data_type::{DataType, fit_decimal};
use model_resource_schema::message::Message;
use model_resource_schema::value::{Value, ValueRef};

use crate::error::{Error, Result};

/// The value as the column holds it. One that the column cannot hold exactly is [`Error::Invalid`].
pub(crate) fn coerce<'v>(column: &Column, value: &'v Value) -> Result<ValueRef<'v>> {
    match (column.kind, value) {
        (_, Value::Null) => {}
        (DataType::Bool, Value::Bool(_)) => {}
        (DataType::I16, Value::Int(v)) if i16::try_from(*v).is_err() => return mismatch(column),
        (DataType::I32, Value::Int(v)) if i32::try_from(*v).is_err() => return mismatch(column),
        (DataType::I16 | DataType::I32 | DataType::I64, Value::Int(_)) => {}
        // SQLite would make a null of NaN, and JSON has no infinity.
        (DataType::F32, Value::Single(v)) if !v.is_finite() => return mismatch(column),
        (DataType::F64, Value::Double(v)) if !v.is_finite() => return mismatch(column),
        // SQLite has no negative zero, so that no database is given one.
        (DataType::F32, Value::Single(v)) => return Ok(ValueRef::Single(v + 0.0)),
        (DataType::F64, Value::Double(v)) => return Ok(ValueRef::Double(v + 0.0)),
        (DataType::Enum(names), Value::Text(v)) if !names.contains(&v.as_str()) => return mismatch(column),
        (DataType::Text | DataType::Enum(_), Value::Text(_)) | (DataType::Bytes, Value::Bytes(_)) => {}
        (DataType::Decimal { precision, scale }, Value::Decimal(v)) => {
            let fitting = fit_decimal(*v, precision, scale);
            return fitting
                .map(ValueRef::Decimal)
                .map_err(|complaint| invalid(column, complaint));
        }
        // Clients could neither read nor send an earlier year.
        (DataType::Date, Value::Date(v)) if v.year() < 1 => return mismatch(column),
        (DataType::Timestamp, Value::Timestamp(v)) if v.as_microsecond() < calendar::FIRST => {
            return mismatch(column);
        }
        (DataType::Date, Value::Date(_)) | (DataType::Time, Value::Time(_)) => {}
        (DataType::Timestamp, Value::Timestamp(_)) => {}
        (DataType::Uuid, Value::Uuid(_)) | (DataType::Json, Value::Json(_)) => {}
        (kind, _) => {
            // Without the value: it may be a secret, and this goes to the log.
            return Err(Error::Failed(format!(
                "column `{}` takes only values of {kind:?}",
                column.database_name
            )));
        }
    }
    Ok(value.borrow())
}

/// The same for a value to look for. One that the column cannot hold is found nowhere, as null is.
pub(crate) fn coerce_for_search<'v>(column: &Column, value: &'v Value) -> Result<ValueRef<'v>> {
    match (value, coerce(column, value)) {
        (_, Err(Error::Invalid(_))) => Ok(ValueRef::Null),
        // No text has a NUL, and PostgreSQL takes none.
        (Value::Text(text), Ok(_)) if text.contains('\0') => Ok(ValueRef::Null),
        (_, fitting) => fitting,
    }
}

fn mismatch<T>(column: &Column) -> Result<T> {
    Err(invalid(column, column.kind.type_message()))
}

fn invalid(column: &Column, complaint: Message) -> Error {
    Error::invalid(column.wire_name(), column.messages.replace(complaint))
}

/// The moment so many microseconds after 1970. `Timestamp::from_microsecond` leaves out the last second that a timestamp
/// can hold.
pub(crate) fn timestamp(micros: i64) -> Option<Timestamp> {
    let nanos = micros.rem_euclid(1_000_000) * 1000;
    Timestamp::new(micros.div_euclid(1_000_000), nanos as i32).ok()
}
