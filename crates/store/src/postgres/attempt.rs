//! What came of trying a statement.

use super::error::StatementError;

/// What came of trying a statement.
pub(super) enum Attempt {
    Done(Result<(), StatementError>),
    /// Nothing happened, and trying again may help.
    Retry(tokio_postgres::Error),
}

impl Attempt {
    /// What came of it if it is not tried again.
    pub(super) fn last(self) -> Result<(), StatementError> {
        match self {
            Self::Done(result) => result,
            Self::Retry(error) => Err(error.into()),
        }
    }
}
