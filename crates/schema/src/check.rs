//! A column's constraints, made ready once to check many values.

use regex::Regex;
use rust_decimal::Decimal;

use crate::column::Column;
use crate::kind::{Complaint, Kind};
use crate::value::Value;

/// The constraints of one column or one extra input.
#[derive(Debug, Clone, Default)]
pub struct Check {
    min_length: Option<usize>,
    max_length: Option<usize>,
    min: Option<Value>,
    max: Option<Value>,
    pattern: Option<Regex>,
    choices: &'static [&'static str],
    email: bool,
}

impl Check {
    /// Reads a column's constraints. Fails, naming the column, where they make no sense for its type.
    pub fn new(column: &Column) -> Result<Self, String> {
        let bound = |option: &str, text: Option<&'static str>| {
            let parse = |text| column.kind.parse(text).map_err(|_| (option, text));
            text.map(parse).transpose().map_err(|(option, text)| {
                format!(
                    "{option} = {text} of column `{}` is not a value of its type, {:?}",
                    column.name, column.kind
                )
            })
        };
        bound("default", column.default)?;
        let pattern = column
            .pattern
            .map(|pattern| Regex::new(&format!("^(?:{pattern})$")))
            .transpose();
        let texts_only = [
            ("pattern", column.pattern.is_some()),
            ("choices", !column.choices.is_empty()),
            ("email", column.email),
        ];
        for (option, given) in texts_only {
            if given && column.kind != Kind::Text {
                return Err(format!(
                    "{option} of column `{}` needs a String field",
                    column.name
                ));
            }
        }
        if (column.min_length.is_some() || column.max_length.is_some())
            && !matches!(column.kind, Kind::Text | Kind::Bytes)
        {
            return Err(format!(
                "a length of column `{}` needs a String or Vec<u8> field",
                column.name
            ));
        }
        Ok(Self {
            min_length: column.min_length,
            max_length: column.max_length,
            min: bound("min", column.min)?,
            max: bound("max", column.max)?,
            pattern: pattern
                .map_err(|error| format!("the pattern of column `{}` is not valid: {error}", column.name))?,
            choices: column.choices,
            email: column.email,
        })
    }

    /// The checks of an extra input's length.
    pub(crate) fn of_length(min_length: Option<usize>, max_length: Option<usize>) -> Self {
        Self {
            min_length,
            max_length,
            ..Self::default()
        }
    }

    /// Says what is wrong with a value that has the right type.
    pub fn complaint(&self, value: &Value) -> Option<Complaint> {
        match value {
            Value::Null => None,
            Value::Text(text) => self
                .length_complaint(text.chars().count())
                .or_else(|| self.text_complaint(text)),
            Value::Bytes(bytes) => self.length_complaint(bytes.len()),
            _ => self.range_complaint(value),
        }
    }

    fn length_complaint(&self, length: usize) -> Option<Complaint> {
        match (self.min_length, self.max_length) {
            (Some(1), _) if length == 0 => Some("May not be empty.".to_owned()),
            (Some(min), _) if length < min => Some(format!("Shorter than the minimum length {min}.")),
            (_, Some(max)) if length > max => Some(format!("Longer than the maximum length {max}.")),
            _ => None,
        }
    }

    fn text_complaint(&self, text: &str) -> Option<Complaint> {
        if self.email && !is_email(text) {
            return Some("Not a valid e-mail address.".to_owned());
        }
        if !self.choices.is_empty() && !self.choices.contains(&text) {
            return Some(format!("Must be one of: {}.", self.choices.join(", ")));
        }
        let pattern = self.pattern.as_ref().filter(|pattern| !pattern.is_match(text))?;
        let shown = pattern.as_str().trim_start_matches("^(?:").trim_end_matches(")$");
        Some(format!("Does not match the pattern {shown}."))
    }

    fn range_complaint(&self, value: &Value) -> Option<Complaint> {
        if let Some(min) = self.min.as_ref().filter(|min| less(value, min)) {
            return Some(format!("Must be at least {}.", shown(min)));
        }
        let max = self.max.as_ref().filter(|max| less(max, value))?;
        Some(format!("Must be at most {}.", shown(max)))
    }
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
        _ => false,
    }
}

fn shown(value: &Value) -> String {
    let mut out = Vec::new();
    crate::json::write_value(&mut out, value.borrow());
    String::from_utf8_lossy(&out).trim_matches('"').to_owned()
}

/// The rule that browsers apply to `<input type=email>`, and a dot in the domain.
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

    fn complaint(column: Column, value: Value) -> Option<Complaint> {
        Check::new(&column).unwrap().complaint(&value)
    }

    #[test]
    fn constraints_are_checked() {
        let text = |text: &str| Value::Text(text.to_owned());
        assert!(complaint(Column::new("a", Kind::Text).max_length(2), text("äöü")).is_some());
        assert!(complaint(Column::new("a", Kind::Text).max_length(3), text("äöü")).is_none());
        assert!(complaint(Column::new("a", Kind::Text).email(), text("a@b")).is_some());
        assert!(complaint(Column::new("a", Kind::Text).email(), text("a@b.c")).is_none());
        assert!(complaint(Column::new("a", Kind::Text).pattern("[a-z]+"), text("ab1")).is_some());
        assert!(complaint(Column::new("a", Kind::Text).pattern("a|b"), text("ab")).is_some());
        assert!(complaint(Column::new("a", Kind::I32).min("1"), Value::Int(0)).is_some());
        assert!(complaint(Column::new("a", Kind::F64).max("0.5"), Value::Double(0.5)).is_none());
    }

    #[test]
    fn senseless_constraints_are_refused() {
        assert!(
            Check::new(&Column::new("a", Kind::I32).default("x"))
                .unwrap_err()
                .contains("default = x")
        );
        assert!(Check::new(&Column::new("a", Kind::I32).email()).is_err());
        assert!(Check::new(&Column::new("a", Kind::Text).pattern("(")).is_err());
    }
}
