//! One value in SQLite's storage classes, on the way in and on the way out.
//!
//! Booleans and integers are INTEGER; f32 and f64 REAL; texts, names and JSON TEXT; bytes BLOB; a decimal INTEGER, counted
//! in units of its last digit; a date INTEGER days, a time and a moment INTEGER microseconds; a UUID BLOB of 16 bytes.

use model_resource_schema::calendar;
use model_resource_schema::json;
use model_resource_schema::kind::Kind;
use model_resource_schema::value::ValueRef;
use rusqlite::types::{ToSqlOutput, ValueRef as Stored};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::fit::moment;

/// The value as it is stored.
pub(super) fn store(value: ValueRef<'_>) -> ToSqlOutput<'_> {
    let stored = match value {
        ValueRef::Null => Stored::Null,
        ValueRef::Bool(v) => Stored::Integer(v.into()),
        ValueRef::Int(v) => Stored::Integer(v),
        ValueRef::Single(v) => Stored::Real(v.into()),
        ValueRef::Double(v) => Stored::Real(v),
        ValueRef::Text(v) | ValueRef::Json(v) => Stored::Text(v.as_bytes()),
        ValueRef::Bytes(v) => Stored::Blob(v),
        // A column has at most 18 digits, and its value was fitted to them.
        ValueRef::Decimal(v) => Stored::Integer(v.mantissa() as i64),
        ValueRef::Date(v) => Stored::Integer(calendar::days_from_date(v)),
        ValueRef::Time(v) => Stored::Integer(calendar::micros_from_time(v)),
        ValueRef::Timestamp(v) => Stored::Integer(v.as_microsecond()),
        ValueRef::Uuid(v) => return ToSqlOutput::Owned(v.into_bytes().to_vec().into()),
    };
    ToSqlOutput::Borrowed(stored)
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

/// Writes the value as JSON, without making a value of it on the way. Tells whether it did: what is rare or foreign is left
/// to [`read`].
#[inline]
pub(super) fn write(out: &mut Vec<u8>, kind: Kind, stored: Stored<'_>) -> bool {
    match (kind, stored) {
        (_, Stored::Null) => json::write_null(out),
        (Kind::Bool, Stored::Integer(v)) => json::write_bool(out, v != 0),
        (Kind::I16 | Kind::I32 | Kind::I64, Stored::Integer(v)) => json::write_int(out, v),
        (Kind::F64, Stored::Real(v)) => json::write_float(out, v),
        (Kind::Text | Kind::Enum(_), Stored::Text(v)) => return json::write_utf8(out, v),
        (Kind::Decimal { scale, .. }, Stored::Integer(v)) => json::write_scaled(out, v, scale),
        (Kind::Date, Stored::Integer(v)) if calendar::is_day(v) => json::write_day(out, v),
        (Kind::Timestamp, Stored::Integer(v)) if calendar::is_day(v.div_euclid(calendar::DAY)) => {
            json::write_moment(out, v);
        }
        _ => return false,
    }
    true
}
