//! Constraints and indexes of a table: over several columns, over some rows, and conditions on each row.

use crate::query::predicate::Predicate;
use crate::value::ValueRef;

/// A condition on the columns of one row, which a constraint or a partial index can have.
#[derive(Debug, Clone, PartialEq)]
pub enum RowCondition {
    /// All conditions (AND).
    And(Vec<RowCondition>),
    /// At least one condition (OR).
    Or(Vec<RowCondition>),
    /// Negation.
    Not(Box<RowCondition>),
    /// A predicate on the column at this position.
    Compare(usize, Predicate),
    /// A condition that no constraint can have, and the reason.
    Unsupported(String),
}

/// A unique constraint over columns, for all rows or for those that match a condition.
#[derive(Debug, Clone, Copy)]
pub struct UniqueConstraint {
    /// Positions of the columns.
    pub columns: &'static [usize],
    /// Condition of the rows among which the values are unique.
    pub condition: Option<fn() -> RowCondition>,
    /// Name of the index in the database, if it is not derived from the columns.
    pub name: Option<&'static str>,
    /// Custom text for clients that violate it.
    pub message: Option<&'static str>,
}

/// An index over columns, for all rows or for those that match a condition.
#[derive(Debug, Clone, Copy)]
pub struct TableIndex {
    /// Columns in order.
    pub columns: &'static [IndexColumn],
    /// Condition of the rows in the index.
    pub condition: Option<fn() -> RowCondition>,
    /// Name in the database, if it is not derived from the columns.
    pub name: Option<&'static str>,
}

/// A column of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexColumn {
    /// Position in the table.
    pub position: usize,
    /// Whether greater values come first.
    pub descending: bool,
}

/// A condition that every row fulfils.
#[derive(Debug, Clone, Copy)]
pub struct CheckConstraint {
    /// Name of the constraint in the database, and code of the message for clients that violate it.
    pub name: &'static str,
    /// Condition on the row.
    pub condition: fn() -> RowCondition,
    /// Custom text for clients that violate it.
    pub message: Option<&'static str>,
}

impl UniqueConstraint {
    /// Creates a constraint over the columns at these positions.
    pub const fn new(columns: &'static [usize]) -> Self {
        Self {
            columns,
            condition: None,
            name: None,
            message: None,
        }
    }

    /// Limits the constraint to rows that match a condition.
    pub const fn filter(mut self, condition: fn() -> RowCondition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Sets the name of the index in the database.
    pub const fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Sets the text for clients that violate the constraint.
    pub const fn message(mut self, text: &'static str) -> Self {
        self.message = Some(text);
        self
    }
}

impl TableIndex {
    /// Creates an index over columns.
    pub const fn new(columns: &'static [IndexColumn]) -> Self {
        Self {
            columns,
            condition: None,
            name: None,
        }
    }

    /// Limits the index to rows that match a condition.
    pub const fn filter(mut self, condition: fn() -> RowCondition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Sets the name in the database.
    pub const fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }
}

impl IndexColumn {
    /// Ascending order of the column at this position.
    pub const fn ascending(position: usize) -> Self {
        Self {
            position,
            descending: false,
        }
    }

    /// Descending order of the column at this position.
    pub const fn descending(position: usize) -> Self {
        Self {
            position,
            descending: true,
        }
    }
}

impl CheckConstraint {
    /// Creates a named condition.
    pub const fn new(name: &'static str, condition: fn() -> RowCondition) -> Self {
        Self {
            name,
            condition,
            message: None,
        }
    }

    /// Sets the text for clients that violate the condition.
    pub const fn message(mut self, text: &'static str) -> Self {
        self.message = Some(text);
        self
    }
}

impl RowCondition {
    /// Positions of the compared columns, in order and without repetition.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns = Vec::new();
        self.add_columns(&mut columns);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn add_columns(&self, columns: &mut Vec<usize>) {
        match self {
            Self::And(conditions) | Self::Or(conditions) => {
                conditions.iter().for_each(|one| one.add_columns(columns));
            }
            Self::Not(condition) => condition.add_columns(columns),
            Self::Compare(column, predicate) => {
                columns.push(*column);
                columns.extend(predicate.other_column());
            }
            Self::Unsupported(_) => {}
        }
    }

    /// Evaluates the condition on the values of the row.
    pub(crate) fn matches<'v>(&self, value: &impl Fn(usize) -> ValueRef<'v>) -> bool {
        match self {
            Self::And(conditions) => conditions.iter().all(|one| one.matches(value)),
            Self::Or(conditions) => conditions.iter().any(|one| one.matches(value)),
            Self::Not(condition) => !condition.matches(value),
            Self::Compare(column, predicate) => predicate.matches(*column, value),
            Self::Unsupported(_) => true,
        }
    }
}
