//! Constraints of a column, compiled once to check many values.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use foldhash::HashMap;
use regex::Regex;
use rust_decimal::Decimal;

use crate::column::Column;
use crate::column_options;
use crate::column_type::TypeCheck;
use crate::data_type::null_character;
use crate::message::{Message, code};
use crate::messages::Messages;
use crate::value::Value;

/// Compiled constraints of a column or an extra field.
#[derive(Debug, Clone, Default)]
pub struct Constraints {
    min_length: Option<usize>,
    max_length: Option<usize>,
    min: Option<Value>,
    max: Option<Value>,
    pattern: Option<(&'static str, Regex)>,
    choices: &'static [&'static str],
    email: bool,
    type_check: Option<TypeCheck>,
    messages: Messages,
}

/// Constraints of an input field.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct FieldConstraints {
    /// Minimum length of a text in characters, or of bytes.
    pub min_length: Option<usize>,
    /// Maximum length of a text in characters, or of bytes.
    pub max_length: Option<usize>,
    /// Minimum value, in its wire form.
    pub min: Option<String>,
    /// Maximum value, in its wire form.
    pub max: Option<String>,
    /// Regular expression that the whole text must match.
    pub pattern: Option<&'static str>,
    /// Allowed texts; empty for any.
    pub choices: &'static [&'static str],
    /// Whether the text must be an e-mail address.
    pub is_email: bool,
}

impl Constraints {
    /// Describes the constraints to clients.
    pub fn describe(&self) -> FieldConstraints {
        FieldConstraints {
            min_length: self.min_length,
            max_length: self.max_length,
            min: self.min.as_ref().map(shown),
            max: self.max.as_ref().map(shown),
            pattern: self.pattern.as_ref().map(|(pattern, _)| *pattern),
            choices: self.choices,
            is_email: self.email,
        }
    }

    /// Compiles a column's constraints. Fails if they do not fit its type or contradict each other; the error names
    /// the column and the remedy.
    pub fn new(column: &Column) -> Result<Self, String> {
        column_options::check(column)?;
        let pattern = |pattern: &'static str| match Regex::new(&format!("^(?:{pattern})$")) {
            Ok(regex) => Ok((pattern, regex)),
            Err(error) => Err(format!(
                "the pattern of column `{}` is not valid: {error}",
                column.name
            )),
        };
        let check = Self {
            min_length: column.min_length,
            max_length: column.max_length,
            min: value(column, "min", column.min)?,
            max: value(column, "max", column.max)?,
            pattern: column.pattern.map(pattern).transpose()?,
            choices: column.choices,
            email: column.email,
            type_check: column.type_check,
            messages: column.messages,
        };
        check.reject_contradictions(column)?;
        Ok(check)
    }

    fn reject_contradictions(&self, column: &Column) -> Result<(), String> {
        let name = column.name;
        if let (Some(min), Some(max)) = (self.min_length, self.max_length)
            && min > max
        {
            return Err(format!(
                "column `{name}` takes no value: its min_length = {min} is above its max_length = {max}; swap them"
            ));
        }
        if let (Some(min), Some(max)) = (&self.min, &self.max)
            && less(max, min)
        {
            let (min, max) = (shown(min), shown(max));
            return Err(format!(
                "column `{name}` takes no value: its min = {min} is above its max = {max}; swap them"
            ));
        }
        let default = value(column, "default", column.default)?;
        match default.and_then(|default| self.violation(&default)) {
            None => Ok(()),
            Some(message) => Err(format!(
                "default = {} of column `{name}` violates the column's own constraints: {message} Change one of them",
                column.default.unwrap_or_default()
            )),
        }
    }

    /// Returns the constraints of a model's column, compiled on first use; `None` if they are invalid.
    pub(crate) fn of(column: &'static Column) -> Option<Arc<Self>> {
        type Ready = HashMap<usize, Option<Arc<Constraints>>>;
        static READY: LazyLock<Mutex<Ready>> = LazyLock::new(Mutex::default);
        let mut ready = READY.lock().unwrap_or_else(PoisonError::into_inner);
        let address = std::ptr::from_ref(column).addr();
        ready
            .entry(address)
            .or_insert_with(|| Self::new(column).ok().map(Arc::new))
            .clone()
    }

    /// Returns the message of the first constraint that a value violates.
    pub fn violation(&self, value: &Value) -> Option<Message> {
        let message = match value {
            Value::Null => return None,
            Value::Text(text) if text.contains('\0') => Some(null_character()),
            Value::Text(text) => self
                .length_violation(text.chars().count())
                .or_else(|| self.text_violation(text)),
            Value::Bytes(bytes) => self.length_violation(bytes.len()),
            Value::Int(_) | Value::Single(_) | Value::Double(_) | Value::Decimal(_) => {
                self.range_violation(value)
            }
            Value::Date(_) | Value::Time(_) | Value::Timestamp(_) => self.range_violation(value),
            Value::Bool(_) | Value::Uuid(_) | Value::Json(_) => None,
        };
        // The type's own check runs last, on values that satisfy everything else.
        let message = message.or_else(|| self.type_check.and_then(|check| check(value.borrow()).err()));
        message.map(|message| self.messages.replace(message))
    }

    fn length_violation(&self, length: usize) -> Option<Message> {
        match (self.min_length, self.max_length) {
            (Some(1), _) if length == 0 => Some(Message::new(code::MIN_LENGTH, "May not be empty.")),
            (Some(min), _) if length < min => {
                let text = format!("Shorter than the minimum length {min}.");
                Some(Message::new(code::MIN_LENGTH, text))
            }
            (_, Some(max)) if length > max => {
                let text = format!("Longer than the maximum length {max}.");
                Some(Message::new(code::MAX_LENGTH, text))
            }
            _ => None,
        }
    }

    fn text_violation(&self, text: &str) -> Option<Message> {
        if self.email && !is_email(text) {
            return Some(Message::new(code::EMAIL, "Not a valid e-mail address."));
        }
        if !self.choices.is_empty() && !self.choices.contains(&text) {
            let text = format!("Must be one of: {}.", self.choices.join(", "));
            return Some(Message::new(code::CHOICE, text));
        }
        let (pattern, _) = self.pattern.as_ref().filter(|(_, regex)| !regex.is_match(text))?;
        let text = format!("Does not match the pattern {pattern}.");
        Some(Message::new(code::PATTERN, text))
    }

    fn range_violation(&self, value: &Value) -> Option<Message> {
        if let Some(min) = self.min.as_ref().filter(|min| less(value, min)) {
            let text = format!("Must be at least {}.", shown(min));
            return Some(Message::new(code::MIN, text));
        }
        let max = self.max.as_ref().filter(|max| less(max, value))?;
        let text = format!("Must be at most {}.", shown(max));
        Some(Message::new(code::MAX, text))
    }
}

/// Parses an option that is written in wire form.
fn value(column: &Column, option: &str, text: Option<&'static str>) -> Result<Option<Value>, String> {
    let parse = |text| {
        column.data_type.parse(text).map_err(|_| {
            format!(
                "{option} = {text} of column `{}` is not a value of its type, {:?}",
                column.name, column.data_type
            )
        })
    };
    text.map(parse).transpose()
}

fn less(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a < b,
        (Value::Single(a), Value::Single(b)) => a < b,
        (Value::Double(a), Value::Double(b)) => a < b,
        (Value::Decimal(a), Value::Decimal(b)) => Decimal::lt(a, b),
        (Value::Date(a), Value::Date(b)) => a < b,
        (Value::Time(a), Value::Time(b)) => a < b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a < b,
        // A bound has the type of its column.
        (Value::Int(_) | Value::Single(_) | Value::Double(_) | Value::Decimal(_), _) => false,
        (Value::Date(_) | Value::Time(_) | Value::Timestamp(_), _) => false,
        // These types have no bounds.
        (Value::Null | Value::Bool(_) | Value::Text(_) | Value::Bytes(_), _) => false,
        (Value::Uuid(_) | Value::Json(_), _) => false,
    }
}

fn shown(value: &Value) -> String {
    let mut out = Vec::new();
    crate::json::write_value(&mut out, value.borrow());
    String::from_utf8_lossy(&out).trim_matches('"').to_owned()
}

/// Whether a text is an e-mail address by the algorithm of `<input type=email>`, with a dot in the domain.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let local_ok = |b: u8| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&b);
    let label_ok = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    !local.is_empty()
        && local.bytes().all(local_ok)
        && domain.contains('.')
        && domain.split('.').all(label_ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_type::DataType;

    fn message(column: Column, value: Value) -> Option<Message> {
        Constraints::new(&column).unwrap().violation(&value)
    }

    #[test]
    fn constraints_are_checked() {
        let text = |text: &str| Value::Text(text.to_owned());
        assert!(message(Column::new("a", DataType::Text).max_length(2), text("äöü")).is_some());
        assert!(message(Column::new("a", DataType::Text).max_length(3), text("äöü")).is_none());
        assert!(message(Column::new("a", DataType::Text).email(), text("a@b")).is_some());
        assert!(message(Column::new("a", DataType::Text).email(), text("a@b.c")).is_none());
        assert!(message(Column::new("a", DataType::Text).pattern("[a-z]+"), text("ab1")).is_some());
        assert!(message(Column::new("a", DataType::Text).pattern("a|b"), text("ab")).is_some());
        assert!(message(Column::new("a", DataType::I32).min("1"), Value::Int(0)).is_some());
        assert!(message(Column::new("a", DataType::F64).max("0.5"), Value::Double(0.5)).is_none());
    }

    #[test]
    fn senseless_constraints_are_refused() {
        assert!(
            Constraints::new(&Column::new("a", DataType::I32).default("x"))
                .unwrap_err()
                .contains("default = x")
        );
        assert!(Constraints::new(&Column::new("a", DataType::I32).email()).is_err());
        assert!(Constraints::new(&Column::new("a", DataType::Text).pattern("(")).is_err());
        let mistake = |column: Column| Constraints::new(&column).unwrap_err();
        for kind in [
            DataType::Text,
            DataType::Bytes,
            DataType::Bool,
            DataType::Uuid,
            DataType::Json,
        ] {
            assert!(mistake(Column::new("a", kind).min("1")).contains("needs a field of numbers"));
            assert!(mistake(Column::new("a", kind).max("1")).contains("`a`"));
        }
        let digits = DataType::Decimal {
            precision: 19,
            scale: 2,
        };
        assert!(mistake(Column::new("a", digits)).contains("at most 18"));
    }

    #[test]
    fn contradicting_constraints_are_refused() {
        let text = Column::new("a", DataType::Text);
        let number = Column::new("a", DataType::I32);
        for (column, part) in [
            (number.min("5").max("3"), "min = 5 is above its max = 3"),
            (
                text.min_length(5).max_length(3),
                "min_length = 5 is above its max_length = 3",
            ),
            (number.min("1").default("0"), "Must be at least 1."),
            (text.max_length(2).default("abc"), "default = abc"),
            (text.choices(&["x"]).default("y"), "Must be one of: x."),
        ] {
            let mistake = Constraints::new(&column).unwrap_err();
            assert!(mistake.contains(part) && mistake.contains("`a`"), "{mistake}");
        }
        let equal = number.min("3").max("3").default("3");
        assert!(Constraints::new(&equal).is_ok());
    }

    #[test]
    fn a_pattern_is_shown_as_it_was_written() {
        let column = Column::new("a", DataType::Text).pattern("^(?:a)$");
        let message = message(column, Value::Text("b".to_owned())).unwrap();
        assert_eq!(message.text(), "Does not match the pattern ^(?:a)$.");
    }
}
