//! One value in SQLite's storage classes, on the way in and on the way out.
//!
//! Booleans and integers are INTEGER; f32 and f64 REAL; texts, names and JSON TEXT; bytes BLOB; a decimal INTEGER, counted
//! in units of its last digit; a date INTEGER days, a time and a moment INTEGER microseconds; a UUID BLOB of 16 bytes.

use jiff::Timestamp;
use model_resource_schema::calendar;
use model_resource_schema::column::Column;
use model_resource_schema::kind::{Complaint, Kind, fit_decimal};
use model_resource_schema::value::{Value, ValueRef};
use rusqlite::types::{ToSqlOutput, ValueRef as Stored};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::error::{Error, Result};

/// The value as it is stored. A value that the column cannot hold exactly is [`Error::Invalid`].
pub(super) fn store<'v>(column: &Column, value: &'v Value) -> Result<ToSqlOutput<'v>> {
    let stored = match (column.kind, value) {
        (_, Value::Null) => Stored::Null,
        (Kind::Bool, Value::Bool(v)) => Stored::Integer((*v).into()),
        (Kind::I16, Value::Int(v)) if i16::try_from(*v).is_err() => {
            return unfit(column, column.kind.complaint());
        }
        (Kind::I32, Value::Int(v)) if i32::try_from(*v).is_err() => {
            return unfit(column, column.kind.complaint());
        }
        (Kind::I16 | Kind::I32 | Kind::I64, Value::Int(v)) => Stored::Integer(*v),
        // SQLite would make a null of NaN, and JSON has no infinity.
        (Kind::F32, Value::Single(v)) if !v.is_finite() => return unfit(column, column.kind.complaint()),
        (Kind::F64, Value::Double(v)) if !v.is_finite() => return unfit(column, column.kind.complaint()),
        (Kind::F32, Value::Single(v)) => Stored::Real((*v).into()),
        (Kind::F64, Value::Double(v)) => Stored::Real(*v),
        (Kind::Enum(names), Value::Text(v)) if !names.contains(&v.as_str()) => {
            return unfit(column, column.kind.complaint());
        }
        (Kind::Text | Kind::Enum(_), Value::Text(v)) => Stored::Text(v.as_bytes()),
        (Kind::Bytes, Value::Bytes(v)) => Stored::Blob(v),
        (Kind::Decimal { precision, scale }, Value::Decimal(v)) => match fit_decimal(*v, precision, scale) {
            Ok(fitting) => match i64::try_from(fitting.mantissa()) {
                Ok(units) => Stored::Integer(units),
                Err(_) => return unfit(column, column.kind.complaint()),
            },
            Err(complaint) => return unfit(column, complaint),
        },
        // Clients could neither read nor send an earlier year.
        (Kind::Date, Value::Date(v)) if v.year() < 1 => return unfit(column, column.kind.complaint()),
        (Kind::Timestamp, Value::Timestamp(v)) if v.as_microsecond() < calendar::FIRST => {
            return unfit(column, column.kind.complaint());
        }
        (Kind::Date, Value::Date(v)) => Stored::Integer(calendar::days_from_date(*v)),
        (Kind::Time, Value::Time(v)) => Stored::Integer(calendar::micros_from_time(*v)),
        (Kind::Timestamp, Value::Timestamp(v)) => Stored::Integer(v.as_microsecond()),
        (Kind::Uuid, Value::Uuid(v)) => Stored::Blob(v.as_bytes()),
        (Kind::Json, Value::Json(v)) => Stored::Text(v.as_bytes()),
        (kind, _) => {
            // Without the value: it may be a secret, and this goes to the log.
            return Err(Error::Failed(format!(
                "column `{}` takes only values of {kind:?}",
                column.name
            )));
        }
    };
    Ok(ToSqlOutput::Borrowed(stored))
}

fn unfit<T>(column: &Column, complaint: Complaint) -> Result<T> {
    Err(Error::invalid(column.wire_name(), complaint))
}

/// The value as a row lends it; nothing if it is of another storage class than the kind is stored in.
pub(super) fn read<'r>(kind: Kind, stored: Stored<'r>) -> Option<ValueRef<'r>> {
    match (kind, stored) {
        (_, Stored::Null) => Some(ValueRef::Null),
        (Kind::Bool, Stored::Integer(v)) => Some(ValueRef::Bool(v != 0)),
        (Kind::I16 | Kind::I32 | Kind::I64, Stored::Integer(v)) => Some(ValueRef::Int(v)),
        (Kind::F32, Stored::Real(v)) => Some(ValueRef::Single(v as f32)),
        (Kind::F64, Stored::Real(v)) => Some(ValueRef::Double(v)),
        // What a column declared NUMERIC makes of a whole number.
        (Kind::F32, Stored::Integer(v)) => Some(ValueRef::Single(v as f32)),
        (Kind::F64, Stored::Integer(v)) => Some(ValueRef::Double(v as f64)),
        (Kind::Text | Kind::Enum(_), Stored::Text(v)) => std::str::from_utf8(v).ok().map(ValueRef::Text),
        (Kind::Json, Stored::Text(v)) => std::str::from_utf8(v).ok().map(ValueRef::Json),
        (Kind::Bytes, Stored::Blob(v)) => Some(ValueRef::Bytes(v)),
        (Kind::Decimal { scale, .. }, Stored::Integer(v)) => {
            Some(ValueRef::Decimal(Decimal::new(v, scale.into())))
        }
        (Kind::Date, Stored::Integer(v)) => calendar::date_from_days(v).map(ValueRef::Date),
        (Kind::Time, Stored::Integer(v)) => calendar::time_from_micros(v).map(ValueRef::Time),
        (Kind::Timestamp, Stored::Integer(v)) => moment(v).map(ValueRef::Timestamp),
        (Kind::Uuid, Stored::Blob(v)) => Uuid::from_slice(v).ok().map(ValueRef::Uuid),
        (_, Stored::Integer(_) | Stored::Real(_) | Stored::Text(_) | Stored::Blob(_)) => None,
    }
}

/// `Timestamp::from_microsecond` leaves out the last second that a timestamp can hold.
fn moment(micros: i64) -> Option<Timestamp> {
    let nanos = micros.rem_euclid(1_000_000) * 1000;
    Timestamp::new(micros.div_euclid(1_000_000), nanos as i32).ok()
}
