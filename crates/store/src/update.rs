//! Optimistic concurrency: preconditions of updates, and their results if a row has changed in the meantime.

use model_resource_schema::model::Record;

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
