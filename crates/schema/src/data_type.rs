//! Data types of columns, and parsing of client input.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rust_decimal::Decimal;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::calendar_text::{parse_date, parse_time, parse_timestamp};
use crate::document;
use crate::message::{Message, code};
use crate::value::Value;

/// Data type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataType {
    /// `bool`
    Bool,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `String`
    Text,
    /// `Vec<u8>`
    Bytes,
    /// `Decimal` with a fixed precision and scale.
    Decimal {
        /// Total number of digits, at most [`DataType::MAX_DIGITS`].
        precision: u8,
        /// Number of digits after the decimal point.
        scale: u8,
    },
    /// A calendar day.
    Date,
    /// A time of day.
    Time,
    /// A point in time.
    Timestamp,
    /// A UUID.
    Uuid,
    /// A JSON document.
    Json,
    /// An enum with these names.
    Enum(&'static [&'static str]),
}

impl DataType {
    /// Maximum digits of a decimal: those that a 64-bit integer holds exactly in every database.
    pub const MAX_DIGITS: u8 = 18;

    /// Whether databases compare stored values of two columns as numbers, dates or texts of one kind. SQLite stores a
    /// decimal in units of its last digit.
    pub fn is_comparable_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::I16 | Self::I32 | Self::I64, Self::I16 | Self::I32 | Self::I64) => true,
            (Self::Decimal { scale: one, .. }, Self::Decimal { scale: two, .. }) => one == two,
            (Self::Json, _) => false,
            (one, two) => one == two,
        }
    }

    /// Parses a JSON value strictly: no `"1"` for 1, no 1.0 for an integer.
    ///
    /// `null` becomes [`Value::Null`]; the caller checks whether the column accepts it.
    pub fn load(self, json: &RawValue) -> Result<Value, Message> {
        let text = json.get();
        let first = text.as_bytes().first();
        if first == Some(&b'n') {
            return Ok(Value::Null);
        }
        match self {
            DataType::Json => document::check(text)
                .map(|()| Value::Json(text.to_owned()))
                .map_err(|text| Message::new(code::TYPE, text)),
            DataType::Bool if matches!(first, Some(b't' | b'f')) => self.parse(text),
            DataType::I16 | DataType::I32 | DataType::I64 | DataType::F32 | DataType::F64
                if matches!(first, Some(b'-' | b'0'..=b'9')) =>
            {
                self.parse(text)
            }
            DataType::Bool
            | DataType::I16
            | DataType::I32
            | DataType::I64
            | DataType::F32
            | DataType::F64 => Err(self.type_message()),
            DataType::Text | DataType::Bytes | DataType::Decimal { .. } | DataType::Enum(_) => {
                self.load_string(text)
            }
            DataType::Date | DataType::Time | DataType::Timestamp | DataType::Uuid => self.load_string(text),
        }
    }

    /// Parses the value of a type whose wire form is a JSON string.
    fn load_string(self, json: &str) -> Result<Value, Message> {
        if !json.starts_with('"') {
            return Err(self.type_message());
        }
        let text: String =
            serde_json::from_str(json).map_err(|_| Message::new(code::TYPE, "Not valid Unicode text."))?;
        self.parse(&text)
    }

    /// Parses the text of a URL parameter, a query parameter or a default.
    pub fn parse(self, text: &str) -> Result<Value, Message> {
        let value = match self {
            DataType::Bool => text.parse().ok().map(Value::Bool),
            DataType::I16 => text.parse::<i16>().ok().map(|v| Value::Int(v.into())),
            DataType::I32 => text.parse::<i32>().ok().map(|v| Value::Int(v.into())),
            DataType::I64 => text.parse().ok().map(Value::Int),
            DataType::F32 => text
                .parse()
                .ok()
                .filter(|v: &f32| v.is_finite())
                .map(Value::Single),
            DataType::F64 => text
                .parse()
                .ok()
                .filter(|v: &f64| v.is_finite())
                .map(Value::Double),
            DataType::Text if text.contains('\0') => return Err(null_character()),
            DataType::Text => Some(Value::Text(text.to_owned())),
            DataType::Bytes => BASE64.decode(text).ok().map(Value::Bytes),
            DataType::Decimal { precision, scale } => {
                return parse_decimal(text, precision, scale).map(Value::Decimal);
            }
            DataType::Date => parse_date(text).map(Value::Date),
            DataType::Time => parse_time(text).map(Value::Time),
            DataType::Timestamp => parse_timestamp(text).map(Value::Timestamp),
            DataType::Uuid => (text.len() == 36)
                .then(|| Uuid::try_parse(text).ok())
                .flatten()
                .map(Value::Uuid),
            DataType::Json => document::check(text).ok().map(|()| Value::Json(text.to_owned())),
            DataType::Enum(names) => names.contains(&text).then(|| Value::Text(text.to_owned())),
        };
        value.ok_or_else(|| self.type_message())
    }

    /// Message for a value of another type.
    pub fn type_message(self) -> Message {
        let text = match self {
            DataType::Bool => "Not a valid boolean.".to_owned(),
            DataType::I16 => integer_text(i16::MIN, i16::MAX),
            DataType::I32 => integer_text(i32::MIN, i32::MAX),
            DataType::I64 => integer_text(i64::MIN, i64::MAX),
            DataType::F32 | DataType::F64 => "Not a valid number.".to_owned(),
            DataType::Text => "Not a valid string.".to_owned(),
            DataType::Bytes => "Not a valid base64 string.".to_owned(),
            DataType::Decimal { .. } => {
                "Not a valid decimal; send it as a string such as \"12.50\".".to_owned()
            }
            DataType::Date => "Not a valid date; send it as YYYY-MM-DD.".to_owned(),
            DataType::Time => "Not a valid time; send it as HH:MM:SS.".to_owned(),
            DataType::Timestamp => "Not a valid date-time; send it as 2024-05-06T07:08:09Z.".to_owned(),
            DataType::Uuid => "Not a valid UUID.".to_owned(),
            DataType::Json => "Not a valid JSON document.".to_owned(),
            DataType::Enum(names) => {
                let text = format!("Must be one of: {}.", names.join(", "));
                return Message::new(code::CHOICE, text);
            }
        };
        Message::new(code::TYPE, text)
    }
}

fn integer_text(min: impl std::fmt::Display, max: impl std::fmt::Display) -> String {
    format!("Not a valid integer between {min} and {max}.")
}

/// Message for a text with a null character, which no database accepts.
pub(crate) fn null_character() -> Message {
    Message::new(code::NULL_CHARACTER, "Null characters are not allowed.")
}

fn parse_decimal(text: &str, precision: u8, scale: u8) -> Result<Decimal, Message> {
    let invalid = || DataType::Decimal { precision, scale }.type_message();
    let is_plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
    if !is_plain || !text.ends_with(|c: char| c.is_ascii_digit()) {
        return Err(invalid());
    }
    let decimal = Decimal::from_str_exact(text).map_err(|_| invalid())?;
    fit_decimal(decimal, precision, scale)
}

/// Rescales a decimal to exactly `scale` digits after the point. Fails if it does not fit `precision` and `scale`.
pub fn fit_decimal(decimal: Decimal, precision: u8, scale: u8) -> Result<Decimal, Message> {
    let mut decimal = decimal.normalize();
    if decimal.scale() > u32::from(scale) {
        let text = format!("At most {scale} digits after the decimal point.");
        return Err(Message::new(code::DECIMAL_PLACES, text));
    }
    decimal.rescale(scale.into());
    if decimal.mantissa().unsigned_abs() >= 10u128.pow(precision.into()) {
        let text = format!("At most {} digits before the decimal point.", precision - scale);
        return Err(Message::new(code::WHOLE_DIGITS, text));
    }
    Ok(decimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(kind: DataType, json: &str) -> Result<Value, Message> {
        kind.load(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn types_are_strict() {
        for (kind, json) in [
            (DataType::I64, "\"1\""),
            (DataType::I64, "1.0"),
            (DataType::I64, "1e3"),
            (DataType::I64, "true"),
            (DataType::I64, "9223372036854775808"),
            (DataType::I16, "32768"),
            (DataType::F64, "1e400"),
            (DataType::F32, "1e39"),
            (DataType::F64, "\"1\""),
            (DataType::Bool, "1"),
            (DataType::Text, "1"),
            (DataType::Text, "\"a\\u0000\""),
            (DataType::Text, "\"\\ud800\""),
            (DataType::Bytes, "\"a\""),
            (
                DataType::Decimal {
                    precision: 4,
                    scale: 2,
                },
                "1.5",
            ),
            (
                DataType::Decimal {
                    precision: 4,
                    scale: 2,
                },
                "\"1.555\"",
            ),
            (
                DataType::Decimal {
                    precision: 4,
                    scale: 2,
                },
                "\"100\"",
            ),
            (
                DataType::Decimal {
                    precision: 4,
                    scale: 2,
                },
                "\"1e1\"",
            ),
            (DataType::Date, "\"2024-02-30\""),
            (DataType::Date, "\"0000-01-01\""),
            (DataType::Time, "\"24:00:00\""),
            (DataType::Time, "\"24:00\""),
            (DataType::Time, "\"7:08\""),
            (DataType::Time, "\"07:08Z\""),
            (DataType::Timestamp, "\"2024-05-06T07:08Z\""),
            (DataType::Timestamp, "\"2024-05-06T07:08:09\""),
            (DataType::Timestamp, "\"2024-05-06 07:08:09Z\""),
            (DataType::Timestamp, "\"10000-01-01T00:00:00Z\""),
            (DataType::Timestamp, "\"2016-12-31T23:59:60Z\""),
            (DataType::Timestamp, "\"0001-01-01T00:00:00+01:00\""),
            (DataType::Uuid, "\"0191d5f0c0de7000800000000000abcd\""),
            (DataType::Json, "{\"a\": 1, \"a\": 2}"),
            (DataType::Json, "[\"\\udfff\"]"),
            (DataType::Json, "[1e400]"),
            (DataType::Enum(&["red"]), "\"blue\""),
        ] {
            assert!(load(kind, json).is_err(), "{kind:?} took {json}");
        }
    }

    #[test]
    fn good_values_are_taken() {
        assert_eq!(load(DataType::F64, "1"), Ok(Value::Double(1.0)));
        assert_eq!(
            load(
                DataType::Decimal {
                    precision: 4,
                    scale: 2
                },
                "\"1.5\""
            ),
            Ok(Value::Decimal("1.50".parse().unwrap()))
        );
        assert_eq!(
            load(DataType::Timestamp, "\"2024-05-06T09:08:09.1234567+02:00\""),
            Ok(Value::Timestamp("2024-05-06T07:08:09.123456Z".parse().unwrap()))
        );
        assert_eq!(
            load(DataType::Time, "\"12:30\""),
            load(DataType::Time, "\"12:30:00\"")
        );
        assert_eq!(
            load(DataType::Json, "{\"a_b\": [1, null]}"),
            Ok(Value::Json("{\"a_b\": [1, null]}".to_owned()))
        );
        assert_eq!(
            load(DataType::Enum(&["red"]), "\"red\""),
            Ok(Value::Text("red".to_owned()))
        );
    }
}
