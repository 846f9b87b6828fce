//! Retry decisions.

use super::error::StatementError;

/// Maximum attempts to run a statement.
pub(super) const MAX_ATTEMPTS: usize = 3;

/// Result of one attempt to run a statement.
pub(super) enum Attempt {
    Done(Result<u64, StatementError>),
    /// Nothing was executed, and a retry may succeed.
    Retry(tokio_postgres::Error),
}

impl Attempt {
    /// Returns the result of the final attempt.
    pub(super) fn last(self) -> Result<u64, StatementError> {
        match self {
            Self::Done(result) => result,
            Self::Retry(error) => Err(error.into()),
        }
    }
}
