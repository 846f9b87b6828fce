//! Faults of a database file that make the store refuse writes.

/// Fault of the file of a SQLite database, because of which writes are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFault {
    /// The file, or its write-ahead log, was moved, deleted or replaced while it was open.
    Replaced,
    /// A statement has found the file to be damaged.
    Damaged,
}
