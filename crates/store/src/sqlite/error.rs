//! What an error of the driver means.

use rusqlite::ffi::{self, ErrorCode};

use crate::error::Error;
use crate::violation_errors;

/// What SQLite says when a foreign key leads nowhere, or would after a deletion.
const FOREIGN_KEY: &str = "FOREIGN KEY constraint failed";

/// So many bytes of a cause are kept: the driver repeats the statement, which a client can make long.
const MAX_CAUSE: usize = 1024;

/// What an error of the driver means where no constraint of a known table is at stake.
pub(super) fn map_error(error: rusqlite::Error) -> Error {
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
        _ => Error::Failed(cause(&error)),
    }
}

fn cause(error: &rusqlite::Error) -> String {
    let mut text = error.to_string();
    if text.len() > MAX_CAUSE {
        text.truncate(text.floor_char_boundary(MAX_CAUSE));
        text.push_str(" ..");
    }
    text
}

/// Whether a foreign key is what is wrong. `RESTRICT` reports itself as a trigger, so the code alone does not tell.
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
