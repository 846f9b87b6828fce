//! The types a column can have, and how a client's text becomes a value of one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rust_decimal::Decimal;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::calendar_text::{parse_date, parse_time, parse_timestamp};
use crate::document;
use crate::message::{Message, code};
use crate::value::Value;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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
    /// `Decimal` with so many digits, so many of them after the point.
    Decimal {
        /// All digits, at most [`Kind::MOST_DIGITS`].
        precision: u8,
        /// The digits after the point.
        scale: u8,
    },
    /// A calendar day.
    Date,
    /// A time of day.
    Time,
    /// A moment.
    Timestamp,
    /// A UUID.
    Uuid,
    /// A JSON document.
    Json,
    /// One of these names.
    Enum(&'static [&'static str]),
}

impl Kind {
    /// So many digits fit into the integer that holds a decimal exactly in every database.
    pub const MOST_DIGITS: u8 = 18;

    /// Reads a JSON value, strictly: no `"1"` for 1, no 1.0 for an integer.
    ///
    /// `null` is [`Value::Null`]; whether the column takes it is not decided here.
    pub fn load(self, json: &RawValue) -> Result<Value, Message> {
        let text = json.get();
        match (text.as_bytes().first(), self) {
            (Some(b'n'), _) => Ok(Value::Null),
            (_, Kind::Json) => document::check(text)
                .map(|()| Value::Json(text.to_owned()))
                .map_err(|text| Message::new(code::TYPE, text)),
            (Some(b't'), Kind::Bool) => Ok(Value::Bool(true)),
            (Some(b'f'), Kind::Bool) => Ok(Value::Bool(false)),
            (Some(b'-' | b'0'..=b'9'), Kind::I16 | Kind::I32 | Kind::I64 | Kind::F32 | Kind::F64) => {
                self.parse(text)
            }
            (Some(b'"'), kind) if kind.is_string() => {
                let text: String = serde_json::from_str(text)
                    .map_err(|_| Message::new(code::TYPE, "Not valid Unicode text."))?;
                kind.parse(&text)
            }
            _ => Err(self.complaint()),
        }
    }

    /// Reads the text of a URL parameter, a query parameter or a default.
    pub fn parse(self, text: &str) -> Result<Value, Message> {
        let value = match self {
            Kind::Bool => text.parse().ok().map(Value::Bool),
            Kind::I16 => text.parse::<i16>().ok().map(|v| Value::Int(v.into())),
            Kind::I32 => text.parse::<i32>().ok().map(|v| Value::Int(v.into())),
            Kind::I64 => text.parse().ok().map(Value::Int),
            Kind::F32 => text
                .parse()
                .ok()
                .filter(|v: &f32| v.is_finite())
                .map(Value::Single),
            Kind::F64 => text
                .parse()
                .ok()
                .filter(|v: &f64| v.is_finite())
                .map(Value::Double),
            Kind::Text if text.contains('\0') => return Err(null_character()),
            Kind::Text => Some(Value::Text(text.to_owned())),
            Kind::Bytes => BASE64.decode(text).ok().map(Value::Bytes),
            Kind::Decimal { precision, scale } => {
                return parse_decimal(text, precision, scale).map(Value::Decimal);
            }
            Kind::Date => parse_date(text).map(Value::Date),
            Kind::Time => parse_time(text).map(Value::Time),
            Kind::Timestamp => parse_timestamp(text).map(Value::Timestamp),
            Kind::Uuid => (text.len() == 36)
                .then(|| Uuid::try_parse(text).ok())
                .flatten()
                .map(Value::Uuid),
            Kind::Json => document::check(text).ok().map(|()| Value::Json(text.to_owned())),
            Kind::Enum(names) => names.contains(&text).then(|| Value::Text(text.to_owned())),
        };
        value.ok_or_else(|| self.complaint())
    }

    /// Whether the wire form is a JSON string.
    fn is_string(self) -> bool {
        match self {
            Kind::Bool | Kind::I16 | Kind::I32 | Kind::I64 | Kind::F32 | Kind::F64 | Kind::Json => false,
            Kind::Text | Kind::Bytes | Kind::Decimal { .. } | Kind::Enum(_) => true,
            Kind::Date | Kind::Time | Kind::Timestamp | Kind::Uuid => true,
        }
    }

    /// What a client is told that sent something else.
    pub fn complaint(self) -> Message {
        let text = match self {
            Kind::Bool => "Not a valid boolean.".to_owned(),
            Kind::I16 => integer_text(i16::MIN, i16::MAX),
            Kind::I32 => integer_text(i32::MIN, i32::MAX),
            Kind::I64 => integer_text(i64::MIN, i64::MAX),
            Kind::F32 | Kind::F64 => "Not a valid number.".to_owned(),
            Kind::Text => "Not a valid string.".to_owned(),
            Kind::Bytes => "Not a valid base64 string.".to_owned(),
            Kind::Decimal { .. } => "Not a valid decimal; send it as a string such as \"12.50\".".to_owned(),
            Kind::Date => "Not a valid date; send it as YYYY-MM-DD.".to_owned(),
            Kind::Time => "Not a valid time; send it as HH:MM:SS.".to_owned(),
            Kind::Timestamp => "Not a valid date-time; send it as 2024-05-06T07:08:09Z.".to_owned(),
            Kind::Uuid => "Not a valid UUID.".to_owned(),
            Kind::Json => "Not a valid JSON document.".to_owned(),
            Kind::Enum(names) => {
                let text = format!("Must be one of: {}.", names.join(", "));
                return Message::new(code::CHOICE, text);
            }
        };
        Message::new(code::TYPE, text)
    }
}

fn integer_text(least: impl std::fmt::Display, most: impl std::fmt::Display) -> String {
    format!("Not a valid integer between {least} and {most}.")
}

/// The message for a text that contains a null character, which no database takes.
pub(crate) fn null_character() -> Message {
    Message::new(code::NULL_CHARACTER, "Null characters are not allowed.")
}

fn parse_decimal(text: &str, precision: u8, scale: u8) -> Result<Decimal, Message> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
    let parsed = Decimal::from_str_exact(text)
        .ok()
        .filter(|_| plain && text.ends_with(|c: char| c.is_ascii_digit()));
    let decimal = parsed.ok_or_else(|| Kind::Decimal { precision, scale }.complaint())?;
    fit_decimal(decimal, precision, scale)
}

/// The same number with exactly `scale` digits after the point, if `precision` digits hold it.
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

    fn load(kind: Kind, json: &str) -> Result<Value, Message> {
        kind.load(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn types_are_strict() {
        for (kind, json) in [
            (Kind::I64, "\"1\""),
            (Kind::I64, "1.0"),
            (Kind::I64, "1e3"),
            (Kind::I64, "true"),
            (Kind::I64, "9223372036854775808"),
            (Kind::I16, "32768"),
            (Kind::F64, "1e400"),
            (Kind::F32, "1e39"),
            (Kind::F64, "\"1\""),
            (Kind::Bool, "1"),
            (Kind::Text, "1"),
            (Kind::Text, "\"a\\u0000\""),
            (Kind::Text, "\"\\ud800\""),
            (Kind::Bytes, "\"a\""),
            (
                Kind::Decimal {
                    precision: 4,
                    scale: 2,
                },
                "1.5",
            ),
            (
                Kind::Decimal {
                    precision: 4,
                    scale: 2,
                },
                "\"1.555\"",
            ),
            (
                Kind::Decimal {
                    precision: 4,
                    scale: 2,
                },
                "\"100\"",
            ),
            (
                Kind::Decimal {
                    precision: 4,
                    scale: 2,
                },
                "\"1e1\"",
            ),
            (Kind::Date, "\"2024-02-30\""),
            (Kind::Date, "\"0000-01-01\""),
            (Kind::Time, "\"24:00:00\""),
            (Kind::Time, "\"24:00\""),
            (Kind::Time, "\"7:08\""),
            (Kind::Time, "\"07:08Z\""),
            (Kind::Timestamp, "\"2024-05-06T07:08Z\""),
            (Kind::Timestamp, "\"2024-05-06T07:08:09\""),
            (Kind::Timestamp, "\"2024-05-06 07:08:09Z\""),
            (Kind::Timestamp, "\"10000-01-01T00:00:00Z\""),
            (Kind::Timestamp, "\"2016-12-31T23:59:60Z\""),
            (Kind::Timestamp, "\"0001-01-01T00:00:00+01:00\""),
            (Kind::Uuid, "\"0191d5f0c0de7000800000000000abcd\""),
            (Kind::Json, "{\"a\": 1, \"a\": 2}"),
            (Kind::Json, "[\"\\udfff\"]"),
            (Kind::Json, "[1e400]"),
            (Kind::Enum(&["red"]), "\"blue\""),
        ] {
            assert!(load(kind, json).is_err(), "{kind:?} took {json}");
        }
    }

    #[test]
    fn good_values_are_taken() {
        assert_eq!(load(Kind::F64, "1"), Ok(Value::Double(1.0)));
        assert_eq!(
            load(
                Kind::Decimal {
                    precision: 4,
                    scale: 2
                },
                "\"1.5\""
            ),
            Ok(Value::Decimal("1.50".parse().unwrap()))
        );
        assert_eq!(
            load(Kind::Timestamp, "\"2024-05-06T09:08:09.1234567+02:00\""),
            Ok(Value::Timestamp("2024-05-06T07:08:09.123456Z".parse().unwrap()))
        );
        assert_eq!(load(Kind::Time, "\"12:30\""), load(Kind::Time, "\"12:30:00\""));
        assert_eq!(
            load(Kind::Json, "{\"a_b\": [1, null]}"),
            Ok(Value::Json("{\"a_b\": [1, null]}".to_owned()))
        );
        assert_eq!(
            load(Kind::Enum(&["red"]), "\"red\""),
            Ok(Value::Text("red".to_owned()))
        );
    }
}
