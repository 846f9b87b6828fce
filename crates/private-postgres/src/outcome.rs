//! Result of the operations of this crate.

/// Result of an operation, with an error message for people.
pub type Outcome<T = ()> = Result<T, String>;
