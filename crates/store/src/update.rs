//! Optimistic concurrency: preconditions of updates, and their results if a row has changed in the meantime.

use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::{Record, Row as _};

use crate::error::{Error, Result};

/// Precondition of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precondition {
    /// The row still exists.
    Exists,
    /// The row still exists, and every column still has the value that the draft started from.
    Unchanged,
}

/// Outcome of an update: the row, or why nothing was updated.
#[derive(Debug, Clone, PartialEq)]
pub enum Updated<T> {
    /// The updated row.
    Row(T),
    /// The row does not exist.
    Missing,
    /// [`Precondition::Unchanged`] failed: nothing was written. Contains the current row.
    Stale(Record),
}

/// Whether a statement that updates nothing may have met a row that it leaves alone.
pub(crate) fn may_leave_row(table: &Table, unchanged: Option<&Record>, changes: &Changes) -> bool {
    unchanged.is_some() || table.has_transitions(changes.values.iter().map(|(column, _)| *column))
}

impl<T> Updated<T> {
    /// Maps the updated row.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Updated<U> {
        match self {
            Updated::Row(row) => Updated::Row(map(row)),
            Updated::Missing => Updated::Missing,
            Updated::Stale(row) => Updated::Stale(row),
        }
    }

    /// Outcome of a statement that updated nothing, given the present row. Fails if a new value may not follow the
    /// present one.
    ///
    /// The row is stale if it has changed since, also between the statement and the reading of the row.
    pub(crate) fn nothing(
        table: &Table,
        present: Option<Record>,
        unchanged: Option<&Record>,
        changes: &Changes,
    ) -> Result<Self> {
        let Some(present) = present else {
            return Ok(Self::Missing);
        };
        if unchanged.is_none_or(|unchanged| *unchanged == present) {
            let values = changes
                .values
                .iter()
                .map(|(column, value)| (*column, value.borrow()));
            let errors = table.transition_errors(values, |column| present.value(column));
            if !errors.is_empty() {
                return Err(Error::Invalid(errors));
            }
        }
        Ok(Self::Stale(present))
    }
}
