//! Savepoints: transactions inside of a transaction.

/// Step in the life of a savepoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Savepoint {
    Begin,
    /// Keeps the changes since it began.
    Release,
    /// Undoes the changes since it began.
    Undo,
}
