//! Values of columns: borrowed for output, owned in drafts.

use std::hash::{Hash, Hasher};

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use rust_decimal::Decimal;
use uuid::Uuid;

/// A value borrowed from a row or a model instance.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum ValueRef<'a> {
    /// SQL NULL.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer of any size.
    Int(i64),
    /// A single-precision number.
    Single(f32),
    /// A double-precision number.
    Double(f64),
    /// Text, or the name of an enum's variant.
    Text(&'a str),
    /// Bytes, base64 on the wire.
    Bytes(&'a [u8]),
    /// An exact number, a string on the wire.
    Decimal(Decimal),
    /// A calendar day.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// A point in time in UTC, with microseconds.
    Timestamp(Timestamp),
    /// A UUID.
    Uuid(Uuid),
    /// The text of a JSON document.
    Json(&'a str),
}

/// An owned value, as drafts hold it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer of any size.
    Int(i64),
    /// A single-precision number.
    Single(f32),
    /// A double-precision number.
    Double(f64),
    /// Text, or the name of an enum's variant.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// An exact number.
    Decimal(Decimal),
    /// A calendar day.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// A point in time in UTC, with microseconds.
    Timestamp(Timestamp),
    /// A UUID.
    Uuid(Uuid),
    /// The text of a JSON document.
    Json(String),
}

impl Value {
    /// Borrows the value.
    pub fn borrow(&self) -> ValueRef<'_> {
        match self {
            Value::Null => ValueRef::Null,
            Value::Bool(v) => ValueRef::Bool(*v),
            Value::Int(v) => ValueRef::Int(*v),
            Value::Single(v) => ValueRef::Single(*v),
            Value::Double(v) => ValueRef::Double(*v),
            Value::Text(v) => ValueRef::Text(v),
            Value::Bytes(v) => ValueRef::Bytes(v),
            Value::Decimal(v) => ValueRef::Decimal(*v),
            Value::Date(v) => ValueRef::Date(*v),
            Value::Time(v) => ValueRef::Time(*v),
            Value::Timestamp(v) => ValueRef::Timestamp(*v),
            Value::Uuid(v) => ValueRef::Uuid(*v),
            Value::Json(v) => ValueRef::Json(v),
        }
    }

    /// Whether the value is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

impl ValueRef<'_> {
    /// Converts to an owned value.
    pub fn to_value(self) -> Value {
        match self {
            ValueRef::Null => Value::Null,
            ValueRef::Bool(v) => Value::Bool(v),
            ValueRef::Int(v) => Value::Int(v),
            ValueRef::Single(v) => Value::Single(v),
            ValueRef::Double(v) => Value::Double(v),
            ValueRef::Text(v) => Value::Text(v.to_owned()),
            ValueRef::Bytes(v) => Value::Bytes(v.to_owned()),
            ValueRef::Decimal(v) => Value::Decimal(v),
            ValueRef::Date(v) => Value::Date(v),
            ValueRef::Time(v) => Value::Time(v),
            ValueRef::Timestamp(v) => Value::Timestamp(v),
            ValueRef::Uuid(v) => Value::Uuid(v),
            ValueRef::Json(v) => Value::Json(v.to_owned()),
        }
    }

    /// Name of the variant.
    pub fn type_name(&self) -> &'static str {
        match self {
            ValueRef::Null => "Null",
            ValueRef::Bool(_) => "Bool",
            ValueRef::Int(_) => "Int",
            ValueRef::Single(_) => "Single",
            ValueRef::Double(_) => "Double",
            ValueRef::Text(_) => "Text",
            ValueRef::Bytes(_) => "Bytes",
            ValueRef::Decimal(_) => "Decimal",
            ValueRef::Date(_) => "Date",
            ValueRef::Time(_) => "Time",
            ValueRef::Timestamp(_) => "Timestamp",
            ValueRef::Uuid(_) => "Uuid",
            ValueRef::Json(_) => "Json",
        }
    }

    /// Whether the value is null.
    pub fn is_null(&self) -> bool {
        matches!(self, ValueRef::Null)
    }
}

/// A hashable primary key. Keys are integers, texts or UUIDs, whose equality is total.
#[derive(Debug, Clone, PartialEq)]
pub struct Key(pub Value);

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Value::Null => {}
            Value::Bool(v) => v.hash(state),
            Value::Int(v) => v.hash(state),
            // Adding zero maps negative zero to zero, which are equal.
            Value::Single(v) => (v + 0.0).to_bits().hash(state),
            Value::Double(v) => (v + 0.0).to_bits().hash(state),
            Value::Text(v) | Value::Json(v) => v.hash(state),
            Value::Bytes(v) => v.hash(state),
            Value::Decimal(v) => v.hash(state),
            Value::Date(v) => v.hash(state),
            Value::Time(v) => v.hash(state),
            Value::Timestamp(v) => v.hash(state),
            Value::Uuid(v) => v.hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_that_are_equal_are_one_key() {
        let decimal = |text: &str| Value::Decimal(text.parse().unwrap());
        for (one, other) in [
            (Value::Double(0.0), Value::Double(-0.0)),
            (Value::Single(0.0), Value::Single(-0.0)),
            (decimal("1.5"), decimal("1.50")),
            (Value::Null, Value::Null),
        ] {
            let keys: HashSet<Key> = [Key(one.clone()), Key(other)].into();
            assert_eq!(keys.len(), 1, "{one:?}");
        }
    }
}
