//! What an error of the driver means.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

use super::codec::BindError;
use crate::error::Error;
use crate::violation_errors;

/// Why a statement was not carried out.
pub(super) enum StatementError {
    /// The driver or the server says so.
    Database(tokio_postgres::Error),
    /// It came to nothing before.
    Other(Error),
}

impl From<tokio_postgres::Error> for StatementError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl From<Error> for StatementError {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl From<StatementError> for Error {
    fn from(trouble: StatementError) -> Self {
        match trouble {
            StatementError::Database(error) => map_error(&error),
            StatementError::Other(error) => error,
        }
    }
}

/// What an error of the driver means where no constraint of a known table is at stake.
pub(super) fn map_error(error: &tokio_postgres::Error) -> Error {
    if let Some(BindError::OutOfRange) = error.source().and_then(|cause| cause.downcast_ref()) {
        return violation_errors::check_failed();
    }
    match error.as_db_error() {
        Some(_) if breaks_foreign_key(error) => violation_errors::missing_reference(),
        Some(refused) => {
            // Without the detail: it repeats values, which may be secrets.
            let cause = format!("{} (SQLSTATE {})", refused.message(), refused.code().code());
            if is_transient(refused.code()) || is_outdated(error) {
                Error::Unavailable(cause)
            } else {
                Error::Failed(cause)
            }
        }
        None if is_lost(error) => Error::Unavailable(Error::with_causes(error)),
        None => Error::Failed(Error::with_causes(error)),
    }
}

/// Whether trying again later may help.
fn is_transient(code: &SqlState) -> bool {
    // Connections, resources, an operator or another transaction in the way, the server's own system.
    const CLASSES: [&str; 5] = ["08", "40", "53", "57", "58"];
    const CODES: [SqlState; 3] = [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    CLASSES.iter().any(|class| code.code().starts_with(class)) || CODES.contains(code)
}

/// Whether a foreign key leads nowhere, or would after a deletion.
pub(super) fn breaks_foreign_key(error: &tokio_postgres::Error) -> bool {
    let codes = [SqlState::FOREIGN_KEY_VIOLATION, SqlState::RESTRICT_VIOLATION];
    error.code().is_some_and(|code| codes.contains(code))
}

/// Whether the connection is gone, so that what was asked may or may not have happened.
pub(super) fn is_lost(error: &tokio_postgres::Error) -> bool {
    const CODES: [SqlState; 3] = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
    ];
    match error.code() {
        Some(code) => CODES.contains(code) || code.code().starts_with("08"),
        None => error.is_closed() || error.source().is_some_and(|cause| cause.is::<std::io::Error>()),
    }
}

/// Whether a prepared statement no longer fits the tables, which is noticed before anything happens.
pub(super) fn is_outdated(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().is_some_and(|refused| {
        *refused.code() == SqlState::INVALID_SQL_STATEMENT_NAME
            || *refused.code() == SqlState::FEATURE_NOT_SUPPORTED
                && refused.routine() == Some("RevalidateCachedQuery")
    })
}
