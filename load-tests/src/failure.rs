//! The error of a step.

/// A step that failed, for the terminal.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
