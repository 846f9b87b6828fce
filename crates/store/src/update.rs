//! How a row is changed, and what came of it.

use model_resource_schema::model::Record;

/// What must hold for a row to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precondition {
    /// The row is still there.
    Exists,
    /// The row is still there and every column still has the value that the draft started from.
    Unchanged,
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum Updated<T> {
    /// The row as it is now.
    Row(T),
    /// There is no such row.
    Missing,
    /// [`Precondition::Unchanged`] did not hold: nothing was written, and this is the row as it is now.
    Stale(Record),
}
