//! Kinds of column: types, values, and what a conversion makes of them.

use model_resource_schema::data_type::DataType;
use model_resource_schema::value::Value;
use model_resource_store::SqlDialect;
use proptest::prelude::*;
use proptest::sample::select;

/// Values that the enum has in one schema or another. Rows have the first two, which every schema declares.
pub(super) const LABELS: [&[&str]; 4] = [
    &["red", "it's"],
    &["red", "it's", "green"],
    &["it's", "red"],
    &["green", "red", "blue", "it's"],
];

/// Name of PostgreSQL's enum type.
pub(super) const ENUM_TYPE: &str = "colour";

/// Kind of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    I16,
    I32,
    I64,
    F32,
    F64,
    /// A decimal with this number of digits after the point.
    Decimal(u8),
    Text,
    Bytes,
    Date,
    Time,
    Timestamp,
    Uuid,
    Json,
    /// An enum that is stored as text.
    Choice,
    /// An enum that PostgreSQL stores in a type of its own, with the labels of the schema.
    Enum,
}

use Kind::{
    Bool, Bytes, Choice, Date, Decimal, Enum, F32, F64, I16, I32, I64, Json, Text, Time, Timestamp, Uuid,
};

/// Returns any kind.
pub(super) fn any_kind() -> impl Strategy<Value = Kind> {
    select(
        &[
            Bool,
            I16,
            I32,
            I64,
            F32,
            F64,
            Decimal(2),
            Decimal(4),
            Text,
            Bytes,
            Date,
            Time,
            Timestamp,
            Uuid,
            Json,
            Choice,
            Enum,
        ][..],
    )
}

impl Kind {
    /// Returns the data type, given the labels of the enum.
    pub(super) fn data_type(self, labels: &'static [&'static str]) -> DataType {
        match self {
            Bool => DataType::Bool,
            I16 => DataType::I16,
            I32 => DataType::I32,
            I64 => DataType::I64,
            F32 => DataType::F32,
            F64 => DataType::F64,
            Decimal(scale) => DataType::Decimal {
                precision: 8 + scale,
                scale,
            },
            Text => DataType::Text,
            Bytes => DataType::Bytes,
            Date => DataType::Date,
            Time => DataType::Time,
            Timestamp => DataType::Timestamp,
            Uuid => DataType::Uuid,
            Json => DataType::Json,
            Choice | Enum => DataType::Enum(labels),
        }
    }

    fn is_integer(self) -> bool {
        matches!(self, I16 | I32 | I64)
    }

    fn is_number(self) -> bool {
        self.is_integer() || matches!(self, F32 | F64 | Decimal(_))
    }

    fn is_label(self) -> bool {
        matches!(self, Choice | Enum)
    }

    fn is_text(self) -> bool {
        self == Text || self.is_label()
    }

    /// Whether rows can have different values.
    pub(super) fn may_be_unique(self) -> bool {
        !matches!(self, Bool | Json | Choice | Enum)
    }

    /// Whether both databases convert every value to another kind and back without a loss.
    pub(super) fn is_kept_as(self, other: Self) -> bool {
        let is_numeral = |one: Self, two: Self| one.is_number() && !matches!(one, Decimal(_)) && two == Text;
        self == other
            || self.is_number() && other.is_number()
            || self.is_text() && other.is_text()
            || is_numeral(self, other)
            || is_numeral(other, self)
    }

    /// Whether a column can become one of another kind. Only texts have the values of an enum.
    pub(super) fn can_become(self, other: Self) -> bool {
        !(self.is_label() || other.is_label()) || self.is_text() && other.is_text()
    }

    /// Returns the wire form of a value for a number, such that it can be converted to the kind that the column has
    /// otherwise.
    pub(super) fn wire(self, number: u32, other: Kind) -> String {
        let is_odd = number % 2 == 1;
        let flag = u32::from(is_odd);
        match self {
            Bool => is_odd.to_string(),
            I16 | I32 | I64 | F32 | F64 | Decimal(_) if other == Bool => flag.to_string(),
            I16 | I32 | I64 => number.to_string(),
            F32 | F64 | Decimal(_) if other.is_integer() => number.to_string(),
            F32 | F64 | Decimal(_) => format!("{number}.25"),
            Text => match other {
                Bool => flag.to_string(),
                Text => format!("it's \u{fc} {number}"),
                Bytes => format!("x{number}"),
                Json => number.to_string(),
                _ => other.wire(number, Text),
            },
            // Base64 of sixteen bytes, so that they can become a UUID.
            Bytes => format!("AAAAAAAAAAAAAAAAAAAA{number}A=="),
            Date => format!("2024-05-0{number}"),
            Time => format!("07:08:0{number}"),
            Timestamp => format!("2024-05-06T07:08:0{number}Z"),
            Uuid => format!("00000000-0000-4000-8000-00000000000{number}"),
            Json if other == Bool => flag.to_string(),
            Json if other.is_number() => number.to_string(),
            Json => format!("{{\"it's\": {number}}}"),
            Choice | Enum => (if is_odd { "red" } else { "it's" }).to_owned(),
        }
    }

    /// Returns the value of a wire form.
    pub(super) fn value(self, wire: &str) -> Value {
        let labels: &'static [&'static str] = LABELS[3];
        let data_type = self.data_type(labels);
        data_type
            .parse(wire)
            .unwrap_or_else(|message| panic!("{self:?} of {wire:?}: {message}"))
    }

    /// Returns what a database makes of a value when its column becomes one of another kind; `None` if that is not
    /// promised.
    pub(super) fn converted(self, other: Self, dialect: SqlDialect, value: &Value) -> Option<Value> {
        let is_sqlite = dialect == SqlDialect::Sqlite;
        let text = text(value, other, is_sqlite);
        let is_promised = match (self, other) {
            (one, two) if one == two => return Some(value.clone()),
            (one, two) if one.is_number() && two.is_number() || one.is_text() && two.is_text() => true,
            (Bool, I32) | (I32, Bool) => true,
            (Bool, two) | (two, Bool) if two.is_number() => is_sqlite,
            (Decimal(_), Text) | (Text, Decimal(_)) => !is_sqlite,
            (Bool, Text) | (Text, Bool) | (Json, Text) | (Text, Json) => true,
            (one, two) if one == Text && two.is_number() || one.is_number() && two == Text => true,
            (Date | Time | Uuid, Text) | (Text, Date | Time | Timestamp | Uuid) => !is_sqlite,
            (Uuid, Bytes) | (Bytes, Uuid) if is_sqlite => return Some(reread(value)),
            _ => false,
        };
        let wire = match (other, text.as_str()) {
            (Bool, "1") => "true",
            (Bool, "0") => "false",
            (two, "true") if two.is_number() => "1",
            (two, "false") if two.is_number() => "0",
            (_, wire) => wire,
        };
        is_promised.then(|| other.value(wire))
    }
}

/// Returns the bytes of a UUID, or the UUID of bytes.
fn reread(value: &Value) -> Value {
    match value {
        Value::Uuid(uuid) => Value::Bytes(uuid.as_bytes().to_vec()),
        Value::Bytes(bytes) => Value::Uuid(uuid::Uuid::from_slice(bytes).unwrap()),
        other => panic!("{other:?} has not the bytes of a UUID"),
    }
}

/// Returns the text of a value: as a database writes it if it becomes a text, or the shortest one.
fn text(value: &Value, other: Kind, is_sqlite: bool) -> String {
    match value {
        Value::Bool(value) if is_sqlite => u8::from(*value).to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Single(value) if is_sqlite && other == Text => format!("{value:?}"),
        Value::Single(value) => value.to_string(),
        Value::Double(value) if is_sqlite && other == Text => format!("{value:?}"),
        Value::Double(value) => value.to_string(),
        Value::Decimal(value) if other == Text => value.to_string(),
        Value::Decimal(value) => value.normalize().to_string(),
        Value::Text(text) | Value::Json(text) => text.clone(),
        Value::Date(value) => value.to_string(),
        Value::Time(value) => value.to_string(),
        Value::Uuid(value) => value.to_string(),
        Value::Null | Value::Timestamp(_) | Value::Bytes(_) => String::new(),
    }
}
