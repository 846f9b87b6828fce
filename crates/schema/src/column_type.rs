//! Rust types of model fields.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use rust_decimal::Decimal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::data_type::DataType;
use crate::message::{Message, code};
use crate::value::ValueRef;

/// A Rust type that maps to a column.
///
/// Implement it for a custom type by delegating to a type that implements it. Every value that a client sends is
/// passed to [`ColumnType::from_value`] before it is stored. If that fails, the client receives a 400 for the field,
/// with the message of the [`TypeMismatch`].
///
/// ```
/// use model_resource_schema::column_type::{ColumnType, TypeMismatch};
/// use model_resource_schema::data_type::DataType;
/// use model_resource_schema::value::ValueRef;
///
/// struct Isbn(String);
///
/// impl ColumnType for Isbn {
///     const DATA_TYPE: DataType = DataType::Text;
///     fn to_value(&self) -> ValueRef<'_> {
///         self.0.to_value()
///     }
///     fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
///         let text = String::from_value(value)?;
///         if text.len() != 13 {
///             return Err(TypeMismatch::new(Self::DATA_TYPE, value).with_message("Not a valid ISBN."));
///         }
///         Ok(Isbn(text))
///     }
/// }
///
/// let check = Isbn::CHECK.expect("a type of one's own is checked");
/// assert_eq!(check(ValueRef::Text("1234")).unwrap_err().text(), "Not a valid ISBN.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a model's field",
    label = "no column holds this type",
    note = "columns hold bool, i16, i32, i64, f32, f64, String, Vec<u8>, Decimal, Date, Time, Timestamp, Uuid, Json, an enum with #[derive(ColumnEnum)], and an Option of each",
    note = "implement `ColumnType` for a type of your own"
)]
pub trait ColumnType: Sized {
    /// Data type of the column.
    const DATA_TYPE: DataType;
    /// Whether the column may be null.
    const NULLABLE: bool = false;
    /// Check of values that clients send, by default with [`ColumnType::from_value`]. `None` saves the call, but only
    /// fits a type that accepts every value of its [`ColumnType::DATA_TYPE`].
    const CHECK: Option<TypeCheck> = Some(check::<Self>);
    /// Documentation of an enum's values, in the order of their names in [`ColumnType::DATA_TYPE`]; empty if there is
    /// none.
    const VALUE_DESCRIPTIONS: &'static [&'static str] = &[];
    /// Borrows the value.
    fn to_value(&self) -> ValueRef<'_>;
    /// Converts a value from a row, or rejects it.
    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch>;
}

/// Check of a value by the Rust type of its field. Returns the message for the client on failure.
pub type TypeCheck = fn(ValueRef<'_>) -> Result<(), Message>;

/// Checks that a value can be read as a `T`.
pub(crate) fn check<T: ColumnType>(value: ValueRef<'_>) -> Result<(), Message> {
    match T::from_value(value) {
        Ok(_) => Ok(()),
        Err(mismatch) => Err(mismatch.into_message()),
    }
}

/// Error for a value that does not match the type of a model's field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeMismatch {
    expected: DataType,
    found: &'static str,
    message: Option<String>,
}

impl TypeMismatch {
    /// Creates an error with the expected and the found type. The value itself is left out: it may be a secret, and
    /// the error is logged.
    pub fn new(expected: DataType, found: ValueRef<'_>) -> Self {
        Self {
            expected,
            found: found.type_name(),
            message: None,
        }
    }

    /// Sets the message for clients, a sentence. It is not logged.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Message for a client that sent the value.
    pub(crate) fn into_message(self) -> Message {
        match self.message {
            Some(text) => Message::new(code::TYPE, text),
            None => self.expected.type_message(),
        }
    }
}

impl std::fmt::Display for TypeMismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "type mismatch: expected {:?}, found {}",
            self.expected, self.found
        )
    }
}

impl std::error::Error for TypeMismatch {}

impl<T: ColumnType> ColumnType for Option<T> {
    const DATA_TYPE: DataType = T::DATA_TYPE;
    const NULLABLE: bool = true;
    const CHECK: Option<TypeCheck> = T::CHECK;
    const VALUE_DESCRIPTIONS: &'static [&'static str] = T::VALUE_DESCRIPTIONS;

    fn to_value(&self) -> ValueRef<'_> {
        self.as_ref().map_or(ValueRef::Null, T::to_value)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        if value.is_null() {
            Ok(None)
        } else {
            T::from_value(value).map(Some)
        }
    }
}

macro_rules! integer {
    ($($type:ty: $kind:ident),*) => { $(
        impl ColumnType for $type {
            const DATA_TYPE: DataType = DataType::$kind;
            const CHECK: Option<TypeCheck> = None;

            fn to_value(&self) -> ValueRef<'_> {
                ValueRef::Int(i64::from(*self))
            }

            fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
                match value {
                    ValueRef::Int(v) => Self::try_from(v).map_err(|_| TypeMismatch::new(Self::DATA_TYPE, value)),
                    _ => Err(TypeMismatch::new(Self::DATA_TYPE, value)),
                }
            }
        }
    )* };
}

integer!(i16: I16, i32: I32, i64: I64);

macro_rules! plain {
    ($($type:ty: $kind:expr, $variant:ident),* $(,)?) => { $(
        impl ColumnType for $type {
            const DATA_TYPE: DataType = $kind;
            const CHECK: Option<TypeCheck> = None;

            fn to_value(&self) -> ValueRef<'_> {
                ValueRef::$variant(*self)
            }

            fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
                match value {
                    ValueRef::$variant(v) => Ok(v),
                    _ => Err(TypeMismatch::new(Self::DATA_TYPE, value)),
                }
            }
        }
    )* };
}

plain!(
    bool: DataType::Bool, Bool,
    f32: DataType::F32, Single,
    f64: DataType::F64, Double,
    Decimal: DataType::Decimal { precision: 18, scale: 6 }, Decimal,
    Date: DataType::Date, Date,
    Time: DataType::Time, Time,
    Timestamp: DataType::Timestamp, Timestamp,
    Uuid: DataType::Uuid, Uuid,
);

impl ColumnType for String {
    const DATA_TYPE: DataType = DataType::Text;
    const CHECK: Option<TypeCheck> = None;

    fn to_value(&self) -> ValueRef<'_> {
        ValueRef::Text(self)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        match value {
            ValueRef::Text(v) => Ok(v.to_owned()),
            _ => Err(TypeMismatch::new(Self::DATA_TYPE, value)),
        }
    }
}

impl ColumnType for Vec<u8> {
    const DATA_TYPE: DataType = DataType::Bytes;
    const CHECK: Option<TypeCheck> = None;

    fn to_value(&self) -> ValueRef<'_> {
        ValueRef::Bytes(self)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        match value {
            ValueRef::Bytes(v) => Ok(v.to_owned()),
            _ => Err(TypeMismatch::new(Self::DATA_TYPE, value)),
        }
    }
}

/// A JSON document, stored as text so that it can be passed on without parsing.
///
/// ```
/// use model_resource_schema::column_type::Json;
///
/// let json = Json::new(&[1, 2]).unwrap();
/// assert_eq!(json.text(), "[1,2]");
/// assert_eq!(json.read::<Vec<i32>>().unwrap(), [1, 2]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json(String);

impl Json {
    /// Serializes a value to a document.
    pub fn new(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(Self)
    }

    /// Text of the document.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Deserializes the document.
    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(&self.0)
    }
}

impl Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &serde_json::value::RawValue =
            serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl ColumnType for Json {
    const DATA_TYPE: DataType = DataType::Json;
    const CHECK: Option<TypeCheck> = None;

    fn to_value(&self) -> ValueRef<'_> {
        ValueRef::Json(&self.0)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        match value {
            ValueRef::Json(v) => Ok(Self(v.to_owned())),
            _ => Err(TypeMismatch::new(Self::DATA_TYPE, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_names_the_types_and_not_the_value() {
        let mismatch = i64::from_value(ValueRef::Text("secret")).unwrap_err().to_string();
        assert_eq!(mismatch, "type mismatch: expected I64, found Text");
        let mismatch = i16::from_value(ValueRef::Int(123_456)).unwrap_err().to_string();
        assert_eq!(mismatch, "type mismatch: expected I16, found Int");
    }
}
