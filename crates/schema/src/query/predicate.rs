//! Predicates on single values.

use crate::value::{Value, ValueRef};

/// A predicate on one value.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// Comparison with a value.
    Is(Comparison, Value),
    /// Equals one of these values (IN).
    OneOf(Vec<Value>),
    /// Equals none of these values (NOT IN).
    NoneOf(Vec<Value>),
    /// Between two values, both inclusive.
    Between(Value, Value),
    /// A text that matches a pattern.
    Like(Pattern),
    /// Null if `true`, not null if `false`.
    Null(bool),
    /// Comparison with the column at this position of the same row.
    IsColumn(Comparison, usize),
}

/// Comparison operator. Texts compare by code points, UUIDs by bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Greater than.
    Gt,
    /// Greater than or equal.
    Gte,
    /// Less than.
    Lt,
    /// Less than or equal.
    Lte,
}

/// Pattern of a text, as for LIKE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Parts in order.
    pub parts: Vec<PatternPart>,
    /// Whether ASCII letters match case-insensitively.
    pub ignores_case: bool,
}

/// Part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternPart {
    /// Literal text.
    Text(String),
    /// Any text, including none.
    Any,
    /// Any one character.
    One,
}

impl Predicate {
    /// Evaluates the predicate on a column of a row. Only [`Predicate::Null`] matches a value that does not exist.
    pub(crate) fn matches<'v>(&self, column: usize, row: &impl Fn(usize) -> ValueRef<'v>) -> bool {
        let value = row(column);
        let equals = |other: &Value| Comparison::Eq.holds(value, other.borrow());
        match self {
            Self::Is(comparison, other) => comparison.holds(value, other.borrow()),
            Self::OneOf(values) => values.iter().any(equals),
            Self::NoneOf(values) => !value.is_null() && !values.iter().any(equals),
            Self::Between(low, high) => {
                Comparison::Gte.holds(value, low.borrow()) && Comparison::Lte.holds(value, high.borrow())
            }
            Self::Like(pattern) => matches!(value, ValueRef::Text(text) if pattern.matches(text)),
            Self::Null(is_null) => value.is_null() == *is_null,
            Self::IsColumn(comparison, other) => comparison.holds(value, row(*other)),
        }
    }

    /// Position of the column that the value is compared with, if it is one.
    pub fn other_column(&self) -> Option<usize> {
        match self {
            Self::IsColumn(_, other) => Some(*other),
            Self::Is(..) | Self::OneOf(_) | Self::NoneOf(_) => None,
            Self::Between(..) | Self::Like(_) | Self::Null(_) => None,
        }
    }
}

impl Comparison {
    /// Whether the comparison holds; false for null and for values without an order.
    pub(super) fn holds(self, value: ValueRef<'_>, other: ValueRef<'_>) -> bool {
        if value.is_null() || std::mem::discriminant(&value) != std::mem::discriminant(&other) {
            return false;
        }
        let Some(order) = value.partial_cmp(&other) else {
            return false;
        };
        match self {
            Comparison::Eq => order.is_eq(),
            Comparison::Ne => order.is_ne(),
            Comparison::Gt => order.is_gt(),
            Comparison::Gte => order.is_ge(),
            Comparison::Lt => order.is_lt(),
            Comparison::Lte => order.is_le(),
        }
    }
}

impl Pattern {
    /// Matches texts that contain this text.
    pub fn containing(text: impl Into<String>) -> Self {
        Self::of(vec![
            PatternPart::Any,
            PatternPart::Text(text.into()),
            PatternPart::Any,
        ])
    }

    /// Matches texts that start with this text.
    pub fn starting_with(text: impl Into<String>) -> Self {
        Self::of(vec![PatternPart::Text(text.into()), PatternPart::Any])
    }

    /// Matches texts that end with this text.
    pub fn ending_with(text: impl Into<String>) -> Self {
        Self::of(vec![PatternPart::Any, PatternPart::Text(text.into())])
    }

    /// Parses a LIKE pattern: `%` is any text, `_` any character, and `\` escapes the next character.
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '%' => parts.push(PatternPart::Any),
                '_' => parts.push(PatternPart::One),
                '\\' => push(&mut parts, characters.next().unwrap_or('\\')),
                other => push(&mut parts, other),
            }
        }
        Self::of(parts)
    }

    /// Makes the pattern case-insensitive.
    pub fn ignoring_case(mut self) -> Self {
        self.ignores_case = true;
        self
    }

    /// Whether a text matches the pattern as a whole.
    pub(crate) fn matches(&self, text: &str) -> bool {
        matches(&self.parts, text, self.ignores_case)
    }

    fn of(parts: Vec<PatternPart>) -> Self {
        Self {
            parts,
            ignores_case: false,
        }
    }
}

fn matches(parts: &[PatternPart], text: &str, ignores_case: bool) -> bool {
    let rest_matches = |rest: &[PatternPart], at: usize| {
        let rest_text = text.get(at..);
        rest_text.is_some_and(|text| matches(rest, text, ignores_case))
    };
    match parts {
        [] => text.is_empty(),
        [PatternPart::Text(literal), rest @ ..] => {
            let begins = text
                .get(..literal.len())
                .is_some_and(|start| start == literal || ignores_case && start.eq_ignore_ascii_case(literal));
            begins && rest_matches(rest, literal.len())
        }
        [PatternPart::One, rest @ ..] => {
            let first = text.chars().next();
            first.is_some_and(|first| rest_matches(rest, first.len_utf8()))
        }
        [PatternPart::Any, rest @ ..] => (0..=text.len()).any(|at| rest_matches(rest, at)),
    }
}

fn push(parts: &mut Vec<PatternPart>, character: char) {
    match parts.last_mut() {
        Some(PatternPart::Text(text)) => text.push(character),
        _ => parts.push(PatternPart::Text(character.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_in_memory_as_it_does_in_a_database() {
        let contains = Pattern::containing("b%");
        assert!(contains.matches("ab%c") && contains.matches("b%"));
        assert!(!contains.matches("abc") && !contains.matches("B%"));
        assert!(Pattern::containing("B").ignoring_case().matches("abc"));
        assert!(Pattern::starting_with("ä").matches("äb") && !Pattern::starting_with("b").matches("äb"));
    }

    #[test]
    fn only_the_null_predicate_matches_a_missing_value() {
        let values = vec![Value::Int(1)];
        let matches = |predicate: &Predicate, value| predicate.matches(0, &|_| value);
        for predicate in [
            Predicate::Is(Comparison::Ne, Value::Int(1)),
            Predicate::OneOf(values.clone()),
            Predicate::NoneOf(values.clone()),
            Predicate::Between(Value::Int(0), Value::Int(2)),
            Predicate::Like(Pattern::containing("")),
            Predicate::IsColumn(Comparison::Eq, 1),
        ] {
            assert!(!matches(&predicate, ValueRef::Null), "{predicate:?}");
        }
        assert!(matches(&Predicate::Null(true), ValueRef::Null));
        assert!(matches(&Predicate::OneOf(values.clone()), ValueRef::Int(1)));
        assert!(matches(&Predicate::NoneOf(values), ValueRef::Int(2)));
        let between = Predicate::Between(Value::Int(0), Value::Int(2));
        assert!(matches(&between, ValueRef::Int(2)));
    }
}
