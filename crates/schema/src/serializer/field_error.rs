//! Why a field that a client names cannot be used.

use std::fmt::{Display, Formatter, Result};

use crate::naming::{self, Quoted};

/// A name that leads to no value here. A field that is not written and one that does not exist are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldError {
    /// There is no such field; perhaps one with a similar name.
    Unknown(String, Option<String>),
    /// It is a relation or computed, and has no value in the database.
    NoValue(String),
    /// It lies behind too many relations.
    TooFar(String),
    /// It is a relation, and not expanded.
    NotExpanded(String),
}

impl FieldError {
    pub(super) fn unknown(name: &str, near: Option<String>) -> Self {
        Self::Unknown(name.to_owned(), near)
    }

    /// The same, seen from where this relation begins.
    pub(super) fn behind(self, relation: &str) -> Self {
        let full = |name: String| format!("{relation}.{name}");
        match self {
            Self::Unknown(name, near) => Self::Unknown(full(name), near.map(full)),
            Self::NoValue(name) => Self::NoValue(full(name)),
            Self::TooFar(name) => Self::TooFar(full(name)),
            Self::NotExpanded(name) => Self::NotExpanded(full(name)),
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
            Self::TooFar(name) => write!(f, "The field {} lies behind too many relations.", Quoted(name)),
            Self::NotExpanded(name) => write!(f, "The relation {name:?} is written only with expand={name}."),
        }
    }
}

impl std::error::Error for FieldError {}
