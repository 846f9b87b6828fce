//! Errors for fields that a client cannot use.

use std::fmt::{Display, Formatter, Result};

use crate::naming::{self, Quoted};

/// Error for an unusable field name. Hidden fields and nonexistent fields are indistinguishable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldError {
    /// The field does not exist; with a similar name, if any.
    Unknown(String, Option<String>),
    /// The field is a relation or computed, and has no value in the database.
    NoValue(String),
    /// The field is more than the maximum number of relations away.
    TooFar(String),
    /// The field is a relation that is not expanded.
    NotExpanded(String),
    /// The field is no relation.
    NotRelated(String),
}

impl FieldError {
    pub(super) fn unknown(name: &str, near: Option<String>) -> Self {
        Self::Unknown(name.to_owned(), near)
    }

    /// Prefixes the field's name with a relation.
    pub(super) fn within(self, relation: &str) -> Self {
        let full = |name: String| format!("{relation}.{name}");
        match self {
            Self::Unknown(name, near) => Self::Unknown(full(name), near.map(full)),
            Self::NoValue(name) => Self::NoValue(full(name)),
            Self::TooFar(name) => Self::TooFar(full(name)),
            Self::NotExpanded(name) => Self::NotExpanded(full(name)),
            Self::NotRelated(name) => Self::NotRelated(full(name)),
        }
    }
}

impl Display for FieldError {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Unknown(name, Some(near)) if !naming::is_long(name) => {
                write!(f, "There is no field {}; did you mean {near:?}?", Quoted(name))
            }
            Self::Unknown(name, _) => write!(f, "There is no field {}.", Quoted(name)),
            Self::NoValue(name) => {
                let name = Quoted(name);
                write!(f, "The field {name} has no value to compare or to sort by.")
            }
            Self::TooFar(name) => write!(f, "The field {} follows too many relations.", Quoted(name)),
            Self::NotRelated(name) => write!(f, "The field {} is no relation.", Quoted(name)),
            Self::NotExpanded(name) => write!(f, "The relation {name:?} is written only with expand={name}."),
        }
    }
}

impl std::error::Error for FieldError {}
