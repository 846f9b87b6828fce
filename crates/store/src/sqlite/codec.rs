//! Encoding and decoding of values in SQLite's storage classes.
//!
//! Booleans and integers are INTEGER; f32 and f64 REAL; text, enums and JSON TEXT; bytes BLOB. A decimal is INTEGER,
//! in units of its last digit. A date is INTEGER days; a time and a timestamp INTEGER microseconds. A UUID is a BLOB
//! of 16 bytes.

use model_resource_schema::calendar;
use model_resource_schema::data_type::DataType;
use model_resource_schema::json;
use model_resource_schema::value::ValueRef;
use rusqlite::types::{ToSqlOutput, ValueRef as Stored};
use rust_decimal::Decimal;
use uuid::Uuid;

/// Encodes a value.
pub(super) fn encode(value: ValueRef<'_>) -> ToSqlOutput<'_> {
    let stored = match value {
        ValueRef::Null => Stored::Null,
        ValueRef::Bool(v) => Stored::Integer(v.into()),
        ValueRef::Int(v) => Stored::Integer(v),
        ValueRef::Single(v) => Stored::Real(v.into()),
        ValueRef::Double(v) => Stored::Real(v),
        ValueRef::Text(v) | ValueRef::Json(v) => Stored::Text(v.as_bytes()),
        ValueRef::Bytes(v) => Stored::Blob(v),
        // A column has at most 18 digits, and `coerce` has checked the value.
        ValueRef::Decimal(v) => Stored::Integer(v.mantissa() as i64),
        ValueRef::Date(v) => Stored::Integer(calendar::days_from_date(v)),
        ValueRef::Time(v) => Stored::Integer(calendar::micros_from_time(v)),
        ValueRef::Timestamp(v) => Stored::Integer(v.as_microsecond()),
        ValueRef::Uuid(v) => return ToSqlOutput::Owned(v.into_bytes().to_vec().into()),
    };
    ToSqlOutput::Borrowed(stored)
}

/// Decodes a value borrowed from a row. Returns `None` if its storage class does not match the type.
pub(super) fn decode<'r>(kind: DataType, stored: Stored<'r>) -> Option<ValueRef<'r>> {
    match (kind, stored) {
        (_, Stored::Null) => Some(ValueRef::Null),
        (DataType::Bool, Stored::Integer(v)) => Some(ValueRef::Bool(v != 0)),
        (DataType::I16 | DataType::I32 | DataType::I64, Stored::Integer(v)) => Some(ValueRef::Int(v)),
        (DataType::F32, Stored::Real(v)) => Some(ValueRef::Single(v as f32)),
        (DataType::F64, Stored::Real(v)) => Some(ValueRef::Double(v)),
        // A column declared NUMERIC stores whole numbers as INTEGER.
        (DataType::F32, Stored::Integer(v)) => Some(ValueRef::Single(v as f32)),
        (DataType::F64, Stored::Integer(v)) => Some(ValueRef::Double(v as f64)),
        (DataType::Text | DataType::Enum(_), Stored::Text(v)) => {
            std::str::from_utf8(v).ok().map(ValueRef::Text)
        }
        (DataType::Json, Stored::Text(v)) => std::str::from_utf8(v).ok().map(ValueRef::Json),
        (DataType::Bytes, Stored::Blob(v)) => Some(ValueRef::Bytes(v)),
        (DataType::Decimal { scale, .. }, Stored::Integer(v)) => {
            Some(ValueRef::Decimal(Decimal::new(v, scale.into())))
        }
        (DataType::Date, Stored::Integer(v)) => calendar::date_from_days(v).map(ValueRef::Date),
        (DataType::Time, Stored::Integer(v)) => calendar::time_from_micros(v).map(ValueRef::Time),
        (DataType::Timestamp, Stored::Integer(v)) => {
            calendar::timestamp_from_micros(v).map(ValueRef::Timestamp)
        }
        (DataType::Uuid, Stored::Blob(v)) => Uuid::from_slice(v).ok().map(ValueRef::Uuid),
        (DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64, _) => None,
        (DataType::F32 | DataType::F64 | DataType::Decimal { .. }, _) => None,
        (DataType::Text | DataType::Enum(_) | DataType::Json | DataType::Bytes | DataType::Uuid, _) => None,
        (DataType::Date | DataType::Time | DataType::Timestamp, _) => None,
    }
}

/// Writes the value as JSON without decoding it first. Returns false for rare types and mismatches, which are left to
/// [`decode`].
#[inline]
pub(super) fn write_json(out: &mut Vec<u8>, kind: DataType, stored: Stored<'_>) -> bool {
    match (kind, stored) {
        (_, Stored::Null) => json::write_null(out),
        (DataType::Bool, Stored::Integer(v)) => json::write_bool(out, v != 0),
        (DataType::I16 | DataType::I32 | DataType::I64, Stored::Integer(v)) => json::write_int(out, v),
        (DataType::F64, Stored::Real(v)) => json::write_float(out, v),
        (DataType::Text | DataType::Enum(_), Stored::Text(v)) => return json::write_utf8(out, v),
        (DataType::Decimal { scale, .. }, Stored::Integer(v)) => json::write_scaled_decimal(out, v, scale),
        (DataType::Date, Stored::Integer(v)) if calendar::is_valid_day(v) => json::write_date_of_day(out, v),
        (DataType::Timestamp, Stored::Integer(v))
            if calendar::is_valid_day(v.div_euclid(calendar::MICROS_PER_DAY)) =>
        {
            json::write_timestamp(out, v);
        }
        (DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64, _) => return false,
        (DataType::F32 | DataType::F64 | DataType::Decimal { .. }, _) => return false,
        (DataType::Text | DataType::Enum(_) | DataType::Json | DataType::Bytes | DataType::Uuid, _) => {
            return false;
        }
        (DataType::Date | DataType::Time | DataType::Timestamp, _) => return false,
    }
    true
}
