//! Errors for fields that a client cannot use.

use std::fmt::{Display, Formatter, Result};

use crate::naming::{self, Quoted};

/// Error for an unusable field name. Hidden fields and nonexistent fields are indistinguishable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldError {
    /// The field does not exist; with a similar name, if any.
    Unknown(String, Option<String>),
    /// The field is computed, or a relation whose keys are not shown, and has no value in the database.
    NoValue(String),
    /// The field is a relation, which a query uses by the fields or the keys of its rows.
    Relation {
        /// Name of the relation.
        name: String,
        /// Name of a field of its rows, if it shows one.
        field: Option<String>,
        /// Whether a list can be filtered by the keys of its rows.
        has_keys: bool,
    },
    /// The field is private: its values are shown on some rows only.
    Private(String),
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
            Self::Relation { name, field, .. } => Self::Relation {
                name: full(name),
                field: field.map(full),
                has_keys: false,
            },
            Self::Private(name) => Self::Private(full(name)),
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
            Self::Relation {
                name,
                field,
                has_keys,
            } => {
                write!(
                    f,
                    "The field {} is a relation, which has no value itself",
                    Quoted(name)
                )?;
                match (field, has_keys) {
                    (Some(field), true) => {
                        write!(
                            f,
                            "; use a field of its rows, such as {field:?}, or their keys: \"{name}[has]=KEY\"."
                        )
                    }
                    (Some(field), false) => write!(f, "; use a field of its rows, such as {field:?}."),
                    (None, true) => write!(f, "; use the keys of its rows: \"{name}[has]=KEY\"."),
                    (None, false) => f.write_str("."),
                }
            }
            Self::Private(name) => write!(
                f,
                "The field {} is shown on some rows only, and cannot be compared or sorted by.",
                Quoted(name)
            ),
            Self::TooFar(name) => write!(f, "The field {} follows too many relations.", Quoted(name)),
            Self::NotRelated(name) => write!(f, "The field {} is no relation.", Quoted(name)),
            Self::NotExpanded(name) => write!(f, "The relation {name:?} is written only with expand={name}."),
        }
    }
}

impl std::error::Error for FieldError {}
