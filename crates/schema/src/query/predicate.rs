//! Tests of values.

use crate::value::{Value, ValueRef};

/// A test of one value.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// It compares so with another.
    Is(Comparison, Value),
    /// It is one of these.
    OneOf(Vec<Value>),
    /// It is none of these.
    NoneOf(Vec<Value>),
    /// It is at least the first and at most the second.
    Between(Value, Value),
    /// It is a text of this shape.
    Like(Pattern),
    /// It is not there, or it is.
    Null(bool),
}

/// How two values compare. Texts compare by their characters' numbers, UUIDs by their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The same.
    Eq,
    /// Another.
    Ne,
    /// Greater.
    Gt,
    /// Greater or the same.
    Gte,
    /// Less.
    Lt,
    /// Less or the same.
    Lte,
}

/// The shape of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// What follows upon what.
    pub parts: Vec<PatternPart>,
    /// Whether A to Z are the same as a to z.
    pub ignores_case: bool,
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternPart {
    /// This text.
    Text(String),
    /// Any text, also none.
    Any,
    /// Any one character.
    One,
}

impl Comparison {
    /// Whether a value compares so with another; what has no order, or is not there, does not.
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
    /// The text in the middle of anything.
    pub fn containing(text: impl Into<String>) -> Self {
        Self::of(vec![
            PatternPart::Any,
            PatternPart::Text(text.into()),
            PatternPart::Any,
        ])
    }

    /// The text, and anything after it.
    pub fn starting_with(text: impl Into<String>) -> Self {
        Self::of(vec![PatternPart::Text(text.into()), PatternPart::Any])
    }

    /// The text, and anything before it.
    pub fn ending_with(text: impl Into<String>) -> Self {
        Self::of(vec![PatternPart::Any, PatternPart::Text(text.into())])
    }

    /// Reads `%` as any text, `_` as any character, and what follows `\` as itself.
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

    /// The same, whether in capitals or not.
    pub fn ignoring_case(mut self) -> Self {
        self.ignores_case = true;
        self
    }

    fn of(parts: Vec<PatternPart>) -> Self {
        Self {
            parts,
            ignores_case: false,
        }
    }
}

fn push(parts: &mut Vec<PatternPart>, character: char) {
    match parts.last_mut() {
        Some(PatternPart::Text(text)) => text.push(character),
        _ => parts.push(PatternPart::Text(character.to_string())),
    }
}
