//! What came of trying a statement.

use super::fault::Trouble;

/// What came of trying a statement.
pub(super) enum Attempt {
    Done(Result<(), Trouble>),
    /// Nothing happened, and trying again may help.
    Again(tokio_postgres::Error),
}

impl Attempt {
    /// What came of it if it is not tried again.
    pub(super) fn last(self) -> Result<(), Trouble> {
        match self {
            Self::Done(result) => result,
            Self::Again(error) => Err(error.into()),
        }
    }
}
