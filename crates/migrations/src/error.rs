//! Failures of the engine: statements that it cannot read, and databases that reject them.

use std::fmt;

/// A failure with its cause as a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationError(String);

impl MigrationError {
    pub(crate) fn new(cause: impl Into<String>) -> Self {
        Self(cause.into())
    }
}

impl fmt::Display for MigrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MigrationError {}

/// Result of the engine.
pub type MigrationResult<T = ()> = Result<T, MigrationError>;
