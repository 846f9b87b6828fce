//! Mapping of driver errors.

use rusqlite::ffi::{self, ErrorCode};

use super::damage;
use crate::error::Error;
use crate::violation_errors;

/// Message of SQLite for a foreign key without a target row, before or after a deletion.
const FOREIGN_KEY: &str = "FOREIGN KEY constraint failed";

/// Maximum bytes kept of a driver message: it repeats the statement, which a client can make long.
const MAX_CAUSE: usize = 1024;

/// Maps a driver error that is not a constraint violation of a known table.
pub(super) fn map_error(error: rusqlite::Error) -> Error {
    if damage::note(&error) {
        return Error::Unavailable(cause(&error));
    }
    if breaks_foreign_key(&error) {
        return violation_errors::missing_reference();
    }
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly,
        ) => Error::Unavailable(cause(&error)),
        _ if lacks_table(&error) => Error::Unavailable(cause(&error)),
        _ => Error::Failed(cause(&error)),
    }
}

/// Whether a table is missing, which is the operator's to restore.
fn lacks_table(error: &rusqlite::Error) -> bool {
    let message = match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message,
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        _ => return false,
    };
    message.starts_with("no such table")
}

fn cause(error: &rusqlite::Error) -> String {
    let mut text = error.to_string();
    if text.len() > MAX_CAUSE {
        text.truncate(text.floor_char_boundary(MAX_CAUSE));
        text.push_str(" ..");
    }
    text
}

/// Whether the error is a foreign key violation. `RESTRICT` reports itself as a trigger, so the code alone is not
/// enough.
pub(super) fn breaks_foreign_key(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => {
            code.extended_code == ffi::SQLITE_CONSTRAINT_FOREIGNKEY
                || code.extended_code == ffi::SQLITE_CONSTRAINT_TRIGGER
                    && message.as_deref() == Some(FOREIGN_KEY)
        }
        _ => false,
    }
}
