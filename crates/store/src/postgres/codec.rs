//! Encoding and decoding of values in PostgreSQL's binary format.

use std::error::Error as StdError;

use bytes::{BufMut, BytesMut};
use model_resource_schema::calendar;
use model_resource_schema::data_type::DataType;
use model_resource_schema::json;
use model_resource_schema::value::{Value, ValueRef};
use rust_decimal::Decimal;
use tokio_postgres::types::{FromSql, IsNull, Kind as TypeKind, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use super::numeric;

/// Days between 1970-01-01 and PostgreSQL's epoch, 2000-01-01.
const EPOCH_DAYS: i64 = 10_957;
const EPOCH_MICROS: i64 = EPOCH_DAYS * calendar::MICROS_PER_DAY;

/// A bound value, or several of them as an array.
pub(super) enum Parameter<'v> {
    One(ValueRef<'v>),
    /// An owned text.
    Own(String),
    /// A value of handwritten SQL, converted to the type that the server expects.
    Raw(ValueRef<'v>),
    Many(Vec<Parameter<'v>>),
}

/// Omits the value: it may be a secret, and the driver logs it.
impl std::fmt::Debug for Parameter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

/// Reason why a value could not be bound.
#[derive(Debug)]
pub(super) enum BindError {
    /// The database column is narrower than the model's.
    OutOfRange,
    /// The database column has another type.
    Type { expected: String, given: &'static str },
}

impl std::fmt::Display for BindError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BindError::OutOfRange => f.write_str("the value is out of the column's range"),
            BindError::Type { expected, given } => {
                write!(f, "the database expects {expected}, but the value is {given}")
            }
        }
    }
}

impl StdError for BindError {}

impl ToSql for Parameter<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Parameter::One(value) => Ok(encode(*value, bare(ty), out)?),
            Parameter::Own(text) => Ok(encode(ValueRef::Text(text), bare(ty), out)?),
            Parameter::Raw(value) => Ok(encode_converted(*value, bare(ty), out)?),
            Parameter::Many(values) => values.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Returns the base type of a domain.
fn bare(ty: &Type) -> &Type {
    match ty.kind() {
        TypeKind::Domain(inner) => bare(inner),
        _ => ty,
    }
}

fn encode(value: ValueRef<'_>, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BindError> {
    let out_of_range = |_| BindError::OutOfRange;
    match (value, ty) {
        (ValueRef::Null, _) => return Ok(IsNull::Yes),
        (ValueRef::Bool(v), &Type::BOOL) => out.put_u8(v.into()),
        (ValueRef::Int(v), &Type::INT8) => out.put_i64(v),
        (ValueRef::Int(v), &Type::INT4) => out.put_i32(v.try_into().map_err(out_of_range)?),
        (ValueRef::Int(v), &Type::INT2) => out.put_i16(v.try_into().map_err(out_of_range)?),
        (ValueRef::Single(v), &Type::FLOAT4) => out.put_f32(v),
        (ValueRef::Single(v), &Type::FLOAT8) => out.put_f64(v.into()),
        (ValueRef::Double(v), &Type::FLOAT8) => out.put_f64(v),
        (ValueRef::Bytes(v), &Type::BYTEA) => out.put_slice(v),
        (ValueRef::Decimal(v), &Type::NUMERIC) => numeric::write(v, out),
        (ValueRef::Date(v), &Type::DATE) => out.put_i32((calendar::days_from_date(v) - EPOCH_DAYS) as i32),
        (ValueRef::Time(v), &Type::TIME) => out.put_i64(calendar::micros_from_time(v)),
        (ValueRef::Timestamp(v), &Type::TIMESTAMPTZ | &Type::TIMESTAMP) => {
            out.put_i64(v.as_microsecond() - EPOCH_MICROS);
        }
        (ValueRef::Uuid(v), &Type::UUID) => out.put_slice(v.as_bytes()),
        (ValueRef::Json(v), &Type::JSONB) => {
            out.put_u8(1);
            out.put_slice(v.as_bytes());
        }
        (ValueRef::Json(v), &Type::JSON | &Type::TEXT) => out.put_slice(v.as_bytes()),
        (ValueRef::Text(v), ty) if is_text(ty) => out.put_slice(v.as_bytes()),
        (
            ValueRef::Bool(_)
            | ValueRef::Int(_)
            | ValueRef::Single(_)
            | ValueRef::Double(_)
            | ValueRef::Text(_)
            | ValueRef::Bytes(_)
            | ValueRef::Decimal(_)
            | ValueRef::Date(_)
            | ValueRef::Time(_)
            | ValueRef::Timestamp(_)
            | ValueRef::Uuid(_)
            | ValueRef::Json(_),
            ty,
        ) => {
            return Err(BindError::Type {
                expected: ty.name().to_owned(),
                given: value.type_name(),
            });
        }
    }
    Ok(IsNull::No)
}

/// Encodes a value of handwritten SQL, whose parameters have the types that the server derived.
fn encode_converted(value: ValueRef<'_>, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BindError> {
    let converted = match (value, ty) {
        (ValueRef::Int(v), &Type::FLOAT8) => Value::Double(v as f64),
        (ValueRef::Int(v), &Type::FLOAT4) => Value::Single(v as f32),
        (ValueRef::Int(v), &Type::NUMERIC) => Value::Decimal(v.into()),
        (ValueRef::Double(v), &Type::NUMERIC) => {
            Value::Decimal(v.try_into().map_err(|_| BindError::OutOfRange)?)
        }
        (ValueRef::Double(v), &Type::FLOAT4) => Value::Single(v as f32),
        (ValueRef::Json(v), ty) if is_text(ty) => Value::Text(v.to_owned()),
        (ValueRef::Text(v), ty) => match parsed_type(ty) {
            Some(kind) => kind.parse(v).map_err(|_| BindError::Type {
                expected: ty.name().to_owned(),
                given: "a text in another format",
            })?,
            None => return encode(value, ty, out),
        },
        (value, ty) => return encode(value, ty, out),
    };
    encode(converted.borrow(), ty, out)
}

/// Returns the data type as which a bound text is parsed; `None` for types that are sent as text.
fn parsed_type(ty: &Type) -> Option<DataType> {
    match *ty {
        Type::UUID => Some(DataType::Uuid),
        Type::TIMESTAMPTZ | Type::TIMESTAMP => Some(DataType::Timestamp),
        Type::DATE => Some(DataType::Date),
        Type::TIME => Some(DataType::Time),
        Type::JSON | Type::JSONB => Some(DataType::Json),
        _ => None,
    }
}

/// Whether a type is sent as text: text types, enums, and extension types such as `citext`.
fn is_text(ty: &Type) -> bool {
    match *ty {
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => true,
        _ => matches!(ty.kind(), TypeKind::Enum(_)) || ty.name() == "citext",
    }
}

/// A value in the binary format of the server.
pub(super) struct RawValue<'r>(pub(super) &'r [u8]);

impl<'r> FromSql<'r> for RawValue<'r> {
    fn from_sql(_: &Type, bytes: &'r [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(bytes))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Decodes a value borrowed from a row. Returns `None` if its type does not match.
pub(super) fn decode<'r>(kind: DataType, ty: &Type, sent: Option<RawValue<'r>>) -> Option<ValueRef<'r>> {
    let Some(RawValue(bytes)) = sent else {
        return Some(ValueRef::Null);
    };
    let text = |bytes| std::str::from_utf8(bytes).ok();
    match (kind, bare(ty)) {
        (DataType::Bool, &Type::BOOL) => Some(ValueRef::Bool(*bytes.first()? != 0)),
        (DataType::I16 | DataType::I32 | DataType::I64, &Type::INT8) => Some(ValueRef::Int(long(bytes)?)),
        (DataType::I16 | DataType::I32 | DataType::I64, &Type::INT4) => {
            Some(ValueRef::Int(int(bytes)?.into()))
        }
        (DataType::I16 | DataType::I32 | DataType::I64, &Type::INT2) => {
            Some(ValueRef::Int(i16::from_be_bytes(bytes.try_into().ok()?).into()))
        }
        (DataType::F32, &Type::FLOAT4) => Some(ValueRef::Single(f32::from_be_bytes(bytes.try_into().ok()?))),
        (DataType::F32, &Type::FLOAT8) => Some(ValueRef::Single(f64::from_bits(long(bytes)? as u64) as f32)),
        (DataType::F64, &Type::FLOAT8) => Some(ValueRef::Double(f64::from_bits(long(bytes)? as u64))),
        (DataType::Text | DataType::Enum(_), ty) if is_text(ty) => text(bytes).map(ValueRef::Text),
        (DataType::Json, &Type::JSON | &Type::TEXT) => text(bytes).map(ValueRef::Json),
        (DataType::Json, &Type::JSONB) => text(bytes.strip_prefix(&[1])?).map(ValueRef::Json),
        (DataType::Bytes, &Type::BYTEA) => Some(ValueRef::Bytes(bytes)),
        (DataType::Decimal { scale, .. }, &Type::NUMERIC) => {
            let units = numeric::read(bytes, scale)?;
            Some(ValueRef::Decimal(Decimal::new(units, scale.into())))
        }
        (DataType::Date, &Type::DATE) => {
            calendar::date_from_days(i64::from(int(bytes)?) + EPOCH_DAYS).map(ValueRef::Date)
        }
        (DataType::Time, &Type::TIME) => calendar::time_from_micros(long(bytes)?).map(ValueRef::Time),
        (DataType::Timestamp, &Type::TIMESTAMPTZ | &Type::TIMESTAMP) => {
            calendar::timestamp_from_micros(long(bytes)?.checked_add(EPOCH_MICROS)?).map(ValueRef::Timestamp)
        }
        (DataType::Uuid, &Type::UUID) => Uuid::from_slice(bytes).ok().map(ValueRef::Uuid),
        (DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64, _) => None,
        (DataType::F32 | DataType::F64 | DataType::Decimal { .. }, _) => None,
        (DataType::Text | DataType::Enum(_) | DataType::Json | DataType::Bytes | DataType::Uuid, _) => None,
        (DataType::Date | DataType::Time | DataType::Timestamp, _) => None,
    }
}

/// Writes the value as JSON without decoding it first. Returns false for rare types and mismatches, which are left to
/// [`decode`].
#[inline]
pub(super) fn write_json(out: &mut Vec<u8>, kind: DataType, ty: &Type, sent: Option<RawValue<'_>>) -> bool {
    let Some(RawValue(bytes)) = sent else {
        json::write_null(out);
        return true;
    };
    let written = match (kind, ty) {
        (DataType::Bool, &Type::BOOL) => bytes.first().map(|byte| json::write_bool(out, *byte != 0)),
        (DataType::I64, &Type::INT8) => long(bytes).map(|number| json::write_int(out, number)),
        (DataType::I32, &Type::INT4) => int(bytes).map(|number| json::write_int(out, number.into())),
        (DataType::F64, &Type::FLOAT8) => {
            long(bytes).map(|bits| json::write_float(out, f64::from_bits(bits as u64)))
        }
        (DataType::Text | DataType::Enum(_), &Type::TEXT | &Type::VARCHAR) => {
            return json::write_utf8(out, bytes);
        }
        (DataType::Decimal { scale, .. }, &Type::NUMERIC) => {
            numeric::read(bytes, scale).map(|units| json::write_scaled_decimal(out, units, scale))
        }
        (DataType::Date, &Type::DATE) => int(bytes)
            .map(|days| i64::from(days) + EPOCH_DAYS)
            .filter(|days| calendar::is_valid_day(*days))
            .map(|days| json::write_date_of_day(out, days)),
        (DataType::Timestamp, &Type::TIMESTAMPTZ) => long(bytes)
            .and_then(|micros| micros.checked_add(EPOCH_MICROS))
            .filter(|micros| calendar::is_valid_day(micros.div_euclid(calendar::MICROS_PER_DAY)))
            .map(|micros| json::write_timestamp(out, micros)),
        (DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64, _) => None,
        (DataType::F32 | DataType::F64 | DataType::Decimal { .. }, _) => None,
        (DataType::Text | DataType::Enum(_) | DataType::Json | DataType::Bytes | DataType::Uuid, _) => None,
        (DataType::Date | DataType::Time | DataType::Timestamp, _) => None,
    };
    written.is_some()
}

fn int(bytes: &[u8]) -> Option<i32> {
    bytes.try_into().ok().map(i32::from_be_bytes)
}

fn long(bytes: &[u8]) -> Option<i64> {
    bytes.try_into().ok().map(i64::from_be_bytes)
}
