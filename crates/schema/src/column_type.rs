//! Rust types of model fields.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::data_type::DataType;
use crate::message::{Message, code};
use crate::value::{Value, ValueRef};

/// A Rust type that maps to a column.
///
/// `#[derive(ColumnType)]` implements it for a struct around one value of a type that implements it. Implement it by
/// hand by delegating to such a type. Every value that a client sends is
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
    note = "add #[derive(ColumnType)] to a struct around one of them, or hold a `T` that implements Serialize and DeserializeOwned in a Json<T>",
    note = "the features `chrono` and `time` of model-resource add the dates and times of those crates"
)]
pub trait ColumnType: Sized {
    /// Data type of the column.
    const DATA_TYPE: DataType;
    /// Whether the column may be null.
    const NULLABLE: bool = false;
    /// Check of values that clients send, by default with [`ColumnType::from_value`]. `None` saves the call, but only
    /// fits a type that accepts every value of its [`ColumnType::DATA_TYPE`].
    const CHECK: Option<TypeCheck> = Some(check::<Self>);
    /// Normalization of values before they are checked and stored, for a type that accepts several forms of one value.
    /// Use [`normalize`].
    const NORMALIZE: Option<TypeNormalization> = None;
    /// Documentation of an enum's values, in the order of their names in [`ColumnType::DATA_TYPE`]; empty if there is
    /// none.
    const VALUE_DESCRIPTIONS: &'static [&'static str] = &[];
    /// Name of the enum type that PostgreSQL stores the values in; `None` stores an enum as text.
    const POSTGRES_TYPE: Option<&'static str> = None;
    /// Borrows the value.
    fn to_value(&self) -> ValueRef<'_>;
    /// Converts a value from a row, or rejects it.
    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch>;
}

/// Check of a value by the Rust type of its field. Returns the message for the client on failure.
pub type TypeCheck = fn(ValueRef<'_>) -> Result<(), Message>;

/// Normalization of a value by the Rust type of its field. Returns a value that the type rejects unchanged.
pub type TypeNormalization = fn(Value) -> Value;

/// Converts a value to a `T` and back: a [`TypeNormalization`] for a type whose `from_value` normalizes.
pub fn normalize<T: ColumnType>(value: Value) -> Value {
    let normalized = T::from_value(value.borrow()).map(|converted| converted.to_value().to_value());
    normalized.unwrap_or(value)
}

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
    const NORMALIZE: Option<TypeNormalization> = T::NORMALIZE;
    const VALUE_DESCRIPTIONS: &'static [&'static str] = T::VALUE_DESCRIPTIONS;
    const POSTGRES_TYPE: Option<&'static str> = T::POSTGRES_TYPE;

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
