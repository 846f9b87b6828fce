//! Mapping of driver errors.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

use super::codec::BindError;
use crate::error::Error;
use crate::violation_errors;

/// Error of a statement.
pub(super) enum StatementError {
    /// Reported by the driver or the server.
    Database(tokio_postgres::Error),
    /// Raised before the statement was sent.
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
    fn from(error: StatementError) -> Self {
        match error {
            StatementError::Database(error) => map_error(&error),
            StatementError::Other(error) => error,
        }
    }
}

/// Maps a driver error that is not a constraint violation of a known table.
pub(super) fn map_error(error: &tokio_postgres::Error) -> Error {
    if let Some(BindError::OutOfRange) = error.source().and_then(|cause| cause.downcast_ref()) {
        return violation_errors::check_failed();
    }
    match error.as_db_error() {
        Some(_) if breaks_foreign_key(error) => violation_errors::missing_reference(),
        Some(db_error) => {
            // The detail is left out: it repeats values, which may be secrets.
            let cause = format!("{} (SQLSTATE {})", db_error.message(), db_error.code().code());
            if is_conflict(error) {
                Error::Aborted(cause)
            } else if is_transient(db_error.code()) || is_outdated(error) {
                Error::Unavailable(cause)
            } else {
                Error::Failed(cause)
            }
        }
        None if is_lost(error) => Error::Unavailable(Error::with_causes(error)),
        None => Error::Failed(Error::with_causes(error)),
    }
}

/// Whether a retry may succeed later.
fn is_transient(code: &SqlState) -> bool {
    // Connection, authorization, unknown database, transaction rollback, resources, operator intervention, system
    // error.
    const CLASSES: [&str; 7] = ["08", "28", "3D", "40", "53", "57", "58"];
    const CODES: [SqlState; 4] = [
        SqlState::UNDEFINED_TABLE,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    CLASSES.iter().any(|class| code.code().starts_with(class)) || CODES.contains(code)
}

/// Whether a new connection was rejected because of its password, its role or its database.
pub(super) fn rejects_login(error: &tokio_postgres::Error) -> bool {
    let has_class = |code: &SqlState| code.code().starts_with("28");
    error
        .code()
        .is_some_and(|code| has_class(code) || *code == SqlState::UNDEFINED_DATABASE)
}

/// Whether the statement was undone because of a concurrent transaction, and may succeed if it runs again.
pub(super) fn is_conflict(error: &tokio_postgres::Error) -> bool {
    const CODES: [SqlState; 2] = [
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
    ];
    error.code().is_some_and(|code| CODES.contains(code))
}

/// Whether a short read was stopped by the limits of shared connections.
pub(super) fn is_stalled(error: &tokio_postgres::Error) -> bool {
    const CODES: [SqlState; 2] = [SqlState::LOCK_NOT_AVAILABLE, SqlState::QUERY_CANCELED];
    error.code().is_some_and(|code| CODES.contains(code))
}

/// Whether the error is a foreign key violation, before or after a deletion.
pub(super) fn breaks_foreign_key(error: &tokio_postgres::Error) -> bool {
    let codes = [SqlState::FOREIGN_KEY_VIOLATION, SqlState::RESTRICT_VIOLATION];
    error.code().is_some_and(|code| codes.contains(code))
}

/// Whether the connection is lost, so that the statement may or may not have taken effect.
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

/// Whether a prepared statement no longer fits the schema, which the server detects before it executes anything.
pub(super) fn is_outdated(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().is_some_and(|db_error| {
        *db_error.code() == SqlState::INVALID_SQL_STATEMENT_NAME
            || *db_error.code() == SqlState::FEATURE_NOT_SUPPORTED
                && db_error.routine() == Some("RevalidateCachedQuery")
    })
}
