//! Values that a column accepts.

use std::time::Duration;

use model_resource::schema::column::Column;
use model_resource::schema::constraints::{Constraints, FieldConstraints};
use model_resource::schema::json::write_value;
use model_resource::schema::transitions::Transitions;
use model_resource::schema::value::Value;
use model_resource::{DataType, Date, Uuid, ValueRef, now};

use crate::generate::pattern;

const HOUR: Duration = Duration::from_secs(60 * 60);
/// First day of generated dates.
const FIRST_DAY: Date = Date::constant(2024, 1, 1);

/// Source of the values of one column or input.
pub(crate) struct ValueSource<'a> {
    pub(crate) data_type: DataType,
    pub(crate) constraints: &'a FieldConstraints,
    pub(crate) transitions: Transitions,
    /// Column whose own checks apply, if it is one.
    pub(crate) column: Option<&'static Column>,
    /// Place among its neighbours. Days, times and numbers grow with it, for checks such as `due > lent`.
    pub(crate) position: u32,
}

impl ValueSource<'_> {
    /// Returns a value that is valid as far as the constraints tell. Different seeds give different values, as far as
    /// the type allows.
    pub(crate) fn value(&self, seed: u32) -> Option<Value> {
        let check = self.column.and_then(|column| Constraints::new(column).ok());
        let is_valid = |value: &Value| {
            check
                .as_ref()
                .is_none_or(|check| check.violation(value).is_none())
        };
        let candidates = self.candidates(seed).into_iter();
        let normalized = candidates.map(|value| match self.column {
            Some(column) => column.normalize(value),
            None => value,
        });
        normalized.chain(self.bounds()).find(is_valid)
    }

    /// Minimum and maximum, as far as there are any.
    fn bounds(&self) -> impl Iterator<Item = Value> {
        let bounds = [&self.constraints.min, &self.constraints.max];
        let bounds = bounds.into_iter().flatten();
        bounds.filter_map(|bound| self.data_type.parse(bound).ok())
    }

    /// Values in the order in which they are tried.
    fn candidates(&self, seed: u32) -> Vec<Value> {
        let number = seed + self.position;
        match self.data_type {
            DataType::Bool => vec![Value::Bool(false), Value::Bool(true)],
            DataType::I16 | DataType::I32 | DataType::I64 => self.integers(number.into()),
            DataType::F32 | DataType::F64 => self.parsed([number.to_string(), "0.5".to_owned()]),
            DataType::Decimal { .. } => self.parsed([number.to_string(), "1".to_owned(), "0".to_owned()]),
            DataType::Text => self.parsed(self.texts(seed)),
            DataType::Bytes => {
                let length = self.constraints.min_length.unwrap_or(1).max(1);
                let bytes = seed.to_le_bytes().into_iter().cycle();
                vec![Value::Bytes(bytes.take(length).collect())]
            }
            DataType::Date => vec![Value::Date(FIRST_DAY + 24 * HOUR * number)],
            DataType::Time => self.parsed([format!("12:{:02}:00", number % 60)]),
            // Tomorrow, since a time in a body is often the end of something.
            DataType::Timestamp => vec![Value::Timestamp(now() + HOUR * (20 + self.position % 4))],
            DataType::Uuid => vec![Value::Uuid(Uuid::from_u128(number.into()))],
            DataType::Json => self.parsed(["{}", "[]", "1", "\"example\""].map(str::to_owned)),
            DataType::Enum(names) => {
                let initial = self.transitions.initial.iter().chain(names);
                self.parsed(initial.map(|name| (*name).to_owned()))
            }
        }
    }

    fn parsed(&self, texts: impl IntoIterator<Item = String>) -> Vec<Value> {
        let values = texts.into_iter().map(|text| self.data_type.parse(&text));
        values.flatten().collect()
    }

    /// The number itself, or one that is as far from a bound.
    fn integers(&self, number: i64) -> Vec<Value> {
        let near = self.bounds().flat_map(|bound| match bound {
            Value::Int(end) => vec![end.saturating_add(number), end.saturating_sub(number)],
            _ => Vec::new(),
        });
        let numbers = std::iter::once(number).chain(near);
        self.parsed(numbers.map(|number| number.to_string()))
    }

    /// Texts of the declared form, or else a word, or forms that types of text often have.
    fn texts(&self, seed: u32) -> Vec<String> {
        let constraints = self.constraints;
        if !constraints.choices.is_empty() {
            return constraints
                .choices
                .iter()
                .map(|choice| (*choice).to_owned())
                .collect();
        }
        if constraints.is_email {
            return vec![format!("example{seed}@example.com")];
        }
        if let Some(text) = constraints
            .pattern
            .and_then(|text| pattern::matching(text, seed.into()))
        {
            return vec![text];
        }
        let word = word(constraints.min_length, constraints.max_length, seed);
        let others = [
            "https://example.com/{}",
            "{}@example.com",
            "EUR",
            "DE",
            "en",
            "1",
            "2024-01-01",
        ];
        let others = others.map(|form| form.replace("{}", &word));
        std::iter::once(word).chain(others).collect()
    }
}

/// Returns a word of letters and digits within these lengths.
fn word(min: Option<usize>, max: Option<usize>, seed: u32) -> String {
    let number = seed.to_string();
    let min = min.unwrap_or_default();
    let max = max.unwrap_or(usize::MAX);
    let full = format!("example{number}");
    if full.len() > max {
        return number.chars().rev().take(max).collect();
    }
    let padding = "x".repeat(min.saturating_sub(full.len()));
    full + &padding
}

/// Returns the JSON of a value.
pub(crate) fn to_json(value: ValueRef<'_>) -> serde_json::Value {
    let mut text = Vec::new();
    write_value(&mut text, value);
    serde_json::from_slice(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated(column: &'static Column, seed: u32) -> Option<Value> {
        let constraints = Constraints::new(column).unwrap().describe();
        let source = ValueSource {
            data_type: column.data_type,
            constraints: &constraints,
            transitions: column.transitions,
            column: Some(column),
            position: 0,
        };
        source.value(seed)
    }

    fn assert_text(column: &'static Column, expected: &str) {
        assert_eq!(
            generated(column, 7),
            Some(Value::Text(expected.to_owned())),
            "{}",
            column.name
        );
    }

    #[test]
    fn texts_have_the_form_of_their_column() {
        static WORD: Column = Column::new("word", DataType::Text);
        static LONG: Column = Column::new("long", DataType::Text).min_length(12);
        static SHORT: Column = Column::new("short", DataType::Text).max_length(3);
        static EMAIL: Column = Column::new("email", DataType::Text).email();
        static ISBN: Column = Column::new("isbn", DataType::Text).pattern("[0-9]{4}");
        static CHOICE: Column = Column::new("choice", DataType::Text).choices(&["b", "a"]);
        assert_text(&WORD, "example7");
        assert_text(&LONG, "example7xxxx");
        assert_text(&SHORT, "7");
        assert_text(&EMAIL, "example7@example.com");
        assert_text(&ISBN, "7000");
        assert_text(&CHOICE, "b");
    }

    #[test]
    fn numbers_are_within_their_bounds_and_differ() {
        static YEAR: Column = Column::new("year", DataType::I32).min("1900").max("2100");
        static PERCENT: Column = Column::new("percent", DataType::F64).max("0.1");
        static PRICE: Column = Column::new(
            "price",
            DataType::Decimal {
                precision: 2,
                scale: 2,
            },
        );
        assert_eq!(generated(&YEAR, 7), Some(Value::Int(1907)));
        assert_eq!(generated(&YEAR, 8), Some(Value::Int(1908)));
        assert_eq!(generated(&PERCENT, 7), Some(Value::Double(0.1)));
        assert_eq!(
            to_json(generated(&PRICE, 7).unwrap().borrow()),
            serde_json::json!("0.00")
        );
    }
}
