//! The Rust types that a model's fields can have.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use rust_decimal::Decimal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::data_type::DataType;
use crate::message::{Message, code};
use crate::value::ValueRef;

/// A type that one column holds.
///
/// Implement it for a type of your own by delegating to one that has it. Every value that a client sends is passed to
/// [`ColumnType::from_value`] before it is stored; if that fails, the client gets a 400 under the field, with the message
/// of the [`TypeMismatch`].
///
/// ```
/// use model_resource_schema::column_type::{ColumnType, TypeMismatch};
/// use model_resource_schema::data_type::DataType;
/// use model_resource_schema::value::ValueRef;
///
/// struct Isbn(String);
///
/// impl ColumnType for Isbn {
///     const KIND: DataType = DataType::Text;
///     fn to_value(&self) -> ValueRef<'_> {
///         self.0.to_value()
///     }
///     fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
///         let text = String::from_value(value)?;
///         match text.len() == 13 {
///             true => Ok(Isbn(text)),
///             false => Err(TypeMismatch::new(Self::KIND, value).with_message("Not a valid ISBN.")),
///         }
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
    /// The column's type.
    const KIND: DataType;
    /// Whether the column may hold no value.
    const NULLABLE: bool = false;
    /// The check of values that clients send: [`ColumnType::from_value`] accepts them. `None`, which saves the call, is
    /// only for a type that accepts every value of its [`ColumnType::KIND`].
    const CHECK: Option<TypeCheck> = Some(check::<Self>);
    /// Lends the value.
    fn to_value(&self) -> ValueRef<'_>;
    /// Takes a value out of a row, or rejects it.
    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch>;
}

/// The check of a value by the Rust type of its field. Fails with the message for the client.
pub type TypeCheck = fn(ValueRef<'_>) -> Result<(), Message>;

/// Checks that a value can be read as a `T`.
pub(crate) fn check<T: ColumnType>(value: ValueRef<'_>) -> Result<(), Message> {
    match T::from_value(value) {
        Ok(_) => Ok(()),
        Err(mismatch) => Err(mismatch.into_message()),
    }
}

/// A row held another type than the model's field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeMismatch {
    expected: DataType,
    found: &'static str,
    message: Option<String>,
}

impl TypeMismatch {
    /// Says which kind was expected and which type was there. The value itself is not kept: it may be a secret, and this
    /// goes to the log.
    pub fn new(expected: DataType, found: ValueRef<'_>) -> Self {
        Self {
            expected,
            found: found.type_name(),
            message: None,
        }
    }

    /// Sets the message for a client that sent the value, a sentence. It is not written to the log.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// The message for a client that sent the value.
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
            "expected {:?}, found a value of {} that is none",
            self.expected, self.found
        )
    }
}

impl std::error::Error for TypeMismatch {}

impl<T: ColumnType> ColumnType for Option<T> {
    const KIND: DataType = T::KIND;
    const NULLABLE: bool = true;
    const CHECK: Option<TypeCheck> = T::CHECK;

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
            const KIND: DataType = DataType::$kind;
            const CHECK: Option<TypeCheck> = None;

            fn to_value(&self) -> ValueRef<'_> {
                ValueRef::Int(i64::from(*self))
            }

            fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
                match value {
                    ValueRef::Int(v) => Self::try_from(v).map_err(|_| TypeMismatch::new(Self::KIND, value)),
                    _ => Err(TypeMismatch::new(Self::KIND, value)),
                }
            }
        }
    )* };
}

integer!(i16: I16, i32: I32, i64: I64);

macro_rules! plain {
    ($($type:ty: $kind:expr, $variant:ident),* $(,)?) => { $(
        impl ColumnType for $type {
            const KIND: DataType = $kind;
            const CHECK: Option<TypeCheck> = None;

            fn to_value(&self) -> ValueRef<'_> {
                ValueRef::$variant(*self)
            }

            fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
                match value {
                    ValueRef::$variant(v) => Ok(v),
                    _ => Err(TypeMismatch::new(Self::KIND, value)),
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
    const KIND: DataType = DataType::Text;
    const CHECK: Option<TypeCheck> = None;

    fn to_value(&self) -> ValueRef<'_> {
        ValueRef::Text(self)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        match value {
            ValueRef::Text(v) => Ok(v.to_owned()),
            _ => Err(TypeMismatch::new(Self::KIND, value)),
        }
    }
}

impl ColumnType for Vec<u8> {
    const KIND: DataType = DataType::Bytes;
    const CHECK: Option<TypeCheck> = None;

    fn to_value(&self) -> ValueRef<'_> {
        ValueRef::Bytes(self)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        match value {
            ValueRef::Bytes(v) => Ok(v.to_owned()),
            _ => Err(TypeMismatch::new(Self::KIND, value)),
        }
    }
}

/// A JSON document, kept as its text so that passing it on costs nothing.
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
    /// The document of any serializable value.
    pub fn new(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(Self)
    }

    /// The document's text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Reads the document as a type of yours.
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
    const KIND: DataType = DataType::Json;
    const CHECK: Option<TypeCheck> = None;

    fn to_value(&self) -> ValueRef<'_> {
        ValueRef::Json(&self.0)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        match value {
            ValueRef::Json(v) => Ok(Self(v.to_owned())),
            _ => Err(TypeMismatch::new(Self::KIND, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_names_the_types_and_not_the_value() {
        let mismatch = i64::from_value(ValueRef::Text("secret")).unwrap_err().to_string();
        assert_eq!(mismatch, "expected I64, found a value of Text that is none");
        let mismatch = i16::from_value(ValueRef::Int(123_456)).unwrap_err().to_string();
        assert_eq!(mismatch, "expected I16, found a value of Int that is none");
    }
}
