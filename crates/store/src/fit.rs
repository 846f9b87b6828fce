//! What a column can hold, whatever database keeps it.

use jiff::Timestamp;
use model_resource_schema::calendar;
use model_resource_schema::column::Column;
use model_resource_schema::kind::{Kind, fit_decimal};
use model_resource_schema::message::Message;
use model_resource_schema::value::{Value, ValueRef};

use crate::error::{Error, Result};

/// The value as the column holds it. One that the column cannot hold exactly is [`Error::Invalid`].
pub(crate) fn fit<'v>(column: &Column, value: &'v Value) -> Result<ValueRef<'v>> {
    match (column.kind, value) {
        (_, Value::Null) => {}
        (Kind::Bool, Value::Bool(_)) => {}
        (Kind::I16, Value::Int(v)) if i16::try_from(*v).is_err() => return unfit(column),
        (Kind::I32, Value::Int(v)) if i32::try_from(*v).is_err() => return unfit(column),
        (Kind::I16 | Kind::I32 | Kind::I64, Value::Int(_)) => {}
        // SQLite would make a null of NaN, and JSON has no infinity.
        (Kind::F32, Value::Single(v)) if !v.is_finite() => return unfit(column),
        (Kind::F64, Value::Double(v)) if !v.is_finite() => return unfit(column),
        // SQLite has no negative zero, so that no database is given one.
        (Kind::F32, Value::Single(v)) => return Ok(ValueRef::Single(v + 0.0)),
        (Kind::F64, Value::Double(v)) => return Ok(ValueRef::Double(v + 0.0)),
        (Kind::Enum(names), Value::Text(v)) if !names.contains(&v.as_str()) => return unfit(column),
        (Kind::Text | Kind::Enum(_), Value::Text(_)) | (Kind::Bytes, Value::Bytes(_)) => {}
        (Kind::Decimal { precision, scale }, Value::Decimal(v)) => {
            let fitting = fit_decimal(*v, precision, scale);
            return fitting
                .map(ValueRef::Decimal)
                .map_err(|complaint| refused(column, complaint));
        }
        // Clients could neither read nor send an earlier year.
        (Kind::Date, Value::Date(v)) if v.year() < 1 => return unfit(column),
        (Kind::Timestamp, Value::Timestamp(v)) if v.as_microsecond() < calendar::FIRST => {
            return unfit(column);
        }
        (Kind::Date, Value::Date(_)) | (Kind::Time, Value::Time(_)) => {}
        (Kind::Timestamp, Value::Timestamp(_)) => {}
        (Kind::Uuid, Value::Uuid(_)) | (Kind::Json, Value::Json(_)) => {}
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
pub(crate) fn fit_sought<'v>(column: &Column, value: &'v Value) -> Result<ValueRef<'v>> {
    match (value, fit(column, value)) {
        (_, Err(Error::Invalid(_))) => Ok(ValueRef::Null),
        // No text has a NUL, and PostgreSQL takes none.
        (Value::Text(text), Ok(_)) if text.contains('\0') => Ok(ValueRef::Null),
        (_, fitting) => fitting,
    }
}

fn unfit<T>(column: &Column) -> Result<T> {
    Err(refused(column, column.kind.complaint()))
}

fn refused(column: &Column, complaint: Message) -> Error {
    Error::invalid(column.wire_name(), column.messages.replace(complaint))
}

/// The moment so many microseconds after 1970. `Timestamp::from_microsecond` leaves out the last second that a timestamp
/// can hold.
pub(crate) fn moment(micros: i64) -> Option<Timestamp> {
    let nanos = micros.rem_euclid(1_000_000) * 1000;
    Timestamp::new(micros.div_euclid(1_000_000), nanos as i32).ok()
}
