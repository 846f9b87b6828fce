//! Encodings of values in SQLite's integers, which a type does not tell apart.

use std::fmt;

/// Meaning of the integers of a SQLite column. It follows the type as a comment, as in `INTEGER /* timestamp */`, which
/// SQLite keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntegerEncoding {
    /// The number itself, or 0 and 1 for booleans.
    Integer,
    /// A decimal in units of its last digit, with this number of digits after the point.
    Decimal(u8),
    /// A day.
    Date,
    /// A time of day.
    Time,
    /// A point in time.
    Timestamp,
}

impl IntegerEncoding {
    /// Reads the comment after a type.
    pub(crate) fn parse(comment: &str) -> Option<Self> {
        match comment {
            "integer" => Some(Self::Integer),
            "date" => Some(Self::Date),
            "time" => Some(Self::Time),
            "timestamp" => Some(Self::Timestamp),
            _ => {
                let scale = comment.strip_prefix("decimal(")?.strip_suffix(')')?;
                scale.parse().ok().map(Self::Decimal)
            }
        }
    }

    /// Digits after the point; `None` if it is not a number.
    fn scale(self) -> Option<u8> {
        match self {
            Self::Integer => Some(0),
            Self::Decimal(scale) => Some(scale),
            Self::Date | Self::Time | Self::Timestamp => None,
        }
    }
}

impl fmt::Display for IntegerEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer => f.write_str("integer"),
            Self::Decimal(scale) => write!(f, "decimal({scale})"),
            Self::Date => f.write_str("date"),
            Self::Time => f.write_str("time"),
            Self::Timestamp => f.write_str("timestamp"),
        }
    }
}

/// Conversion of values between two columns of SQLite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SqliteConversion {
    /// A strict table converts the values or refuses them.
    Copy,
    /// An expression of the column.
    Expression(String),
    /// Only a person knows.
    Unknown,
}

/// Returns the conversion between types and encodings of a column, whose name is in quotation marks.
pub(crate) fn conversion(
    name: &str,
    from: (&str, Option<IntegerEncoding>),
    to: (&str, Option<IntegerEncoding>),
) -> SqliteConversion {
    let scale = |encoding: Option<IntegerEncoding>| encoding.and_then(IntegerEncoding::scale);
    match (from.0, to.0) {
        ("INTEGER", "INTEGER") => match (from.1, to.1) {
            (Some(old), Some(new)) if old != new => match (old.scale(), new.scale()) {
                (Some(old), Some(new)) => SqliteConversion::Expression(rescaled(name, old, new)),
                (Some(_), None) | (None, Some(_)) | (None, None) => SqliteConversion::Unknown,
            },
            _ => SqliteConversion::Copy,
        },
        ("INTEGER", "REAL") => match scale(from.1) {
            Some(0) => SqliteConversion::Copy,
            Some(digits) => SqliteConversion::Expression(format!("{name} / {}.0", power(digits))),
            None => SqliteConversion::Unknown,
        },
        ("REAL", "INTEGER") => match scale(to.1) {
            Some(0) => SqliteConversion::Copy,
            Some(digits) => SqliteConversion::Expression(format!("round({name} * {})", power(digits))),
            None => SqliteConversion::Unknown,
        },
        ("INTEGER", "TEXT") if from.1 == Some(IntegerEncoding::Integer) => SqliteConversion::Copy,
        ("TEXT", "INTEGER") if to.1 == Some(IntegerEncoding::Integer) => SqliteConversion::Copy,
        ("REAL", "TEXT") | ("TEXT", "REAL") => SqliteConversion::Copy,
        (old, new) if old == new => SqliteConversion::Copy,
        _ => SqliteConversion::Unknown,
    }
}

/// Number with another count of digits after the point. A fraction that does not fit makes it a real number, which a
/// strict table refuses.
fn rescaled(name: &str, old: u8, new: u8) -> String {
    if new > old {
        format!("{name} * {}", power(new - old))
    } else {
        format!("{name} / {}.0", power(old - new))
    }
}

fn power(digits: u8) -> String {
    format!("1{}", "0".repeat(digits.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_an_encoding_and_back() {
        for text in ["integer", "decimal(2)", "date", "time", "timestamp"] {
            assert_eq!(IntegerEncoding::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "decimal", "decimal()", "decimal(x)", "Date"] {
            assert_eq!(IntegerEncoding::parse(text), None, "{text}");
        }
    }

    #[test]
    fn decimals_are_rescaled() {
        let cents = ("INTEGER", Some(IntegerEncoding::Decimal(2)));
        let convert = |to| conversion("\"c\"", cents, to);
        let expression = |sql: &str| SqliteConversion::Expression(sql.to_owned());
        assert_eq!(convert(cents), SqliteConversion::Copy);
        assert_eq!(
            convert(("INTEGER", Some(IntegerEncoding::Decimal(3)))),
            expression("\"c\" * 10")
        );
        assert_eq!(
            convert(("INTEGER", Some(IntegerEncoding::Integer))),
            expression("\"c\" / 100.0")
        );
        assert_eq!(convert(("REAL", None)), expression("\"c\" / 100.0"));
        assert_eq!(convert(("TEXT", None)), SqliteConversion::Unknown);
        assert_eq!(
            convert(("INTEGER", Some(IntegerEncoding::Date))),
            SqliteConversion::Unknown
        );
    }
}
