//! One value in PostgreSQL's binary forms, on the way in and on the way out.

use std::error::Error as StdError;

use bytes::{BufMut, BytesMut};
use model_resource_schema::calendar;
use model_resource_schema::json;
use model_resource_schema::kind::Kind;
use model_resource_schema::value::ValueRef;
use rust_decimal::Decimal;
use tokio_postgres::types::{FromSql, IsNull, Kind as TypeKind, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use super::numeric;
use crate::fit::moment;

/// PostgreSQL counts from 2000-01-01, we from 1970-01-01.
const DAYS: i64 = 10_957;
const MICROS: i64 = DAYS * calendar::DAY;

/// A value that is bound to a statement, or several of them as an array.
pub(super) enum Parameter<'v> {
    One(ValueRef<'v>),
    /// A text of the statement's own.
    Own(String),
    Many(Vec<Parameter<'v>>),
}

/// Without the value: it may be a secret, and the driver logs it.
impl std::fmt::Debug for Parameter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

/// Why a value could not be bound.
#[derive(Debug)]
pub(super) enum Unbound {
    /// The database's column is narrower than the model's.
    OutOfRange,
    /// The database's column is of another type.
    Type { expected: String, given: &'static str },
}

impl std::fmt::Display for Unbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unbound::OutOfRange => f.write_str("the value is out of the column's range"),
            Unbound::Type { expected, given } => {
                write!(
                    f,
                    "the database expects {expected} where the model has a value of {given}"
                )
            }
        }
    }
}

impl StdError for Unbound {}

impl ToSql for Parameter<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Parameter::One(value) => Ok(store(*value, bare(ty), out)?),
            Parameter::Own(text) => Ok(store(ValueRef::Text(text), bare(ty), out)?),
            Parameter::Many(values) => values.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The type that a domain is made of.
fn bare(ty: &Type) -> &Type {
    match ty.kind() {
        TypeKind::Domain(inner) => bare(inner),
        _ => ty,
    }
}

fn store(value: ValueRef<'_>, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Unbound> {
    let out_of_range = |_| Unbound::OutOfRange;
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
        (ValueRef::Date(v), &Type::DATE) => out.put_i32((calendar::days_from_date(v) - DAYS) as i32),
        (ValueRef::Time(v), &Type::TIME) => out.put_i64(calendar::micros_from_time(v)),
        (ValueRef::Timestamp(v), &Type::TIMESTAMPTZ | &Type::TIMESTAMP) => {
            out.put_i64(v.as_microsecond() - MICROS);
        }
        (ValueRef::Uuid(v), &Type::UUID) => out.put_slice(v.as_bytes()),
        (ValueRef::Json(v), &Type::JSONB) => {
            out.put_u8(1);
            out.put_slice(v.as_bytes());
        }
        (ValueRef::Json(v), &Type::JSON | &Type::TEXT) => out.put_slice(v.as_bytes()),
        (ValueRef::Text(v), ty) if is_text(ty) => out.put_slice(v.as_bytes()),
        (value, ty) => {
            return Err(Unbound::Type {
                expected: ty.name().to_owned(),
                given: value.type_name(),
            });
        }
    }
    Ok(IsNull::No)
}

/// Texts, an enum's names, and types of extensions, such as `citext`.
fn is_text(ty: &Type) -> bool {
    match *ty {
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => true,
        _ => matches!(ty.kind(), TypeKind::Enum(_)) || ty.name() == "citext",
    }
}

/// A value as it was sent.
pub(super) struct Sent<'r>(pub(super) &'r [u8]);

impl<'r> FromSql<'r> for Sent<'r> {
    fn from_sql(_: &Type, bytes: &'r [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(bytes))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The value as a row lends it; nothing if it is of another type than the kind can be read from.
pub(super) fn read<'r>(kind: Kind, ty: &Type, sent: Option<Sent<'r>>) -> Option<ValueRef<'r>> {
    let Some(Sent(bytes)) = sent else {
        return Some(ValueRef::Null);
    };
    let text = |bytes| std::str::from_utf8(bytes).ok();
    match (kind, bare(ty)) {
        (Kind::Bool, &Type::BOOL) => Some(ValueRef::Bool(*bytes.first()? != 0)),
        (Kind::I16 | Kind::I32 | Kind::I64, &Type::INT8) => Some(ValueRef::Int(long(bytes)?)),
        (Kind::I16 | Kind::I32 | Kind::I64, &Type::INT4) => Some(ValueRef::Int(int(bytes)?.into())),
        (Kind::I16 | Kind::I32 | Kind::I64, &Type::INT2) => {
            Some(ValueRef::Int(i16::from_be_bytes(bytes.try_into().ok()?).into()))
        }
        (Kind::F32, &Type::FLOAT4) => Some(ValueRef::Single(f32::from_be_bytes(bytes.try_into().ok()?))),
        (Kind::F32, &Type::FLOAT8) => Some(ValueRef::Single(f64::from_bits(long(bytes)? as u64) as f32)),
        (Kind::F64, &Type::FLOAT8) => Some(ValueRef::Double(f64::from_bits(long(bytes)? as u64))),
        (Kind::Text | Kind::Enum(_), ty) if is_text(ty) => text(bytes).map(ValueRef::Text),
        (Kind::Json, &Type::JSON | &Type::TEXT) => text(bytes).map(ValueRef::Json),
        (Kind::Json, &Type::JSONB) => text(bytes.strip_prefix(&[1])?).map(ValueRef::Json),
        (Kind::Bytes, &Type::BYTEA) => Some(ValueRef::Bytes(bytes)),
        (Kind::Decimal { scale, .. }, &Type::NUMERIC) => {
            let units = numeric::read(bytes, scale)?;
            Some(ValueRef::Decimal(Decimal::new(units, scale.into())))
        }
        (Kind::Date, &Type::DATE) => {
            calendar::date_from_days(i64::from(int(bytes)?) + DAYS).map(ValueRef::Date)
        }
        (Kind::Time, &Type::TIME) => calendar::time_from_micros(long(bytes)?).map(ValueRef::Time),
        (Kind::Timestamp, &Type::TIMESTAMPTZ | &Type::TIMESTAMP) => {
            moment(long(bytes)?.checked_add(MICROS)?).map(ValueRef::Timestamp)
        }
        (Kind::Uuid, &Type::UUID) => Uuid::from_slice(bytes).ok().map(ValueRef::Uuid),
        _ => None,
    }
}

/// Writes the value as JSON, without making a value of it on the way. Tells whether it did: what is rare or foreign is left
/// to [`read`].
#[inline]
pub(super) fn write(out: &mut Vec<u8>, kind: Kind, ty: &Type, sent: Option<Sent<'_>>) -> bool {
    let Some(Sent(bytes)) = sent else {
        json::write_null(out);
        return true;
    };
    let written = match (kind, ty) {
        (Kind::Bool, &Type::BOOL) => bytes.first().map(|byte| json::write_bool(out, *byte != 0)),
        (Kind::I64, &Type::INT8) => long(bytes).map(|number| json::write_int(out, number)),
        (Kind::I32, &Type::INT4) => int(bytes).map(|number| json::write_int(out, number.into())),
        (Kind::F64, &Type::FLOAT8) => {
            long(bytes).map(|bits| json::write_float(out, f64::from_bits(bits as u64)))
        }
        (Kind::Text | Kind::Enum(_), &Type::TEXT | &Type::VARCHAR) => return json::write_utf8(out, bytes),
        (Kind::Decimal { scale, .. }, &Type::NUMERIC) => {
            numeric::read(bytes, scale).map(|units| json::write_scaled(out, units, scale))
        }
        (Kind::Date, &Type::DATE) => int(bytes)
            .map(|days| i64::from(days) + DAYS)
            .filter(|days| calendar::is_day(*days))
            .map(|days| json::write_day(out, days)),
        (Kind::Timestamp, &Type::TIMESTAMPTZ) => long(bytes)
            .and_then(|micros| micros.checked_add(MICROS))
            .filter(|micros| calendar::is_day(micros.div_euclid(calendar::DAY)))
            .map(|micros| json::write_moment(out, micros)),
        _ => None,
    };
    written.is_some()
}

fn int(bytes: &[u8]) -> Option<i32> {
    bytes.try_into().ok().map(i32::from_be_bytes)
}

fn long(bytes: &[u8]) -> Option<i64> {
    bytes.try_into().ok().map(i64::from_be_bytes)
}
