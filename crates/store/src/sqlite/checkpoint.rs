//! Checkpoints: copying the write-ahead log to the database file.

use rusqlite::Connection;

use super::error::map_error;
use super::file_identity::FileIdentity;
use crate::error::{Error, Result};

/// Copies the write-ahead log to the database file, as far as other processes allow it without waiting.
pub(super) fn checkpoint(connection: &Connection) -> Result<()> {
    let ignored = |_: &rusqlite::Row<'_>| Ok(());
    connection
        .query_row("PRAGMA wal_checkpoint(PASSIVE)", (), ignored)
        .map_err(map_error)
}

/// Copies the whole write-ahead log to the database file. Waits for readers, and fails if they take too long.
fn checkpoint_all(connection: &Connection) -> Result<()> {
    let is_busy: bool = connection
        .query_row("PRAGMA wal_checkpoint(FULL)", (), |row| row.get(0))
        .map_err(map_error)?;
    if is_busy {
        return Err(Error::Unavailable("others use the write-ahead log".to_owned()));
    }
    Ok(())
}

/// Logs that the files of the database have changed. Copies the write-ahead log to the database if its name is gone, so
/// that no acknowledged write is lost with it.
pub(super) fn report_changed_files(connection: &Connection, identity: &FileIdentity, cause: &Error) {
    if !identity.has_lost_log() {
        tracing::error!(%cause, "writes are refused");
        return;
    }
    match checkpoint_all(connection) {
        Ok(()) => tracing::error!(
            %cause,
            "writes are refused; all earlier ones have been copied to the database file: start again"
        ),
        Err(error) => tracing::error!(
            %cause,
            %error,
            "writes are refused, and earlier ones could not be copied to the database file: stop the process with \
             SIGTERM, which copies them"
        ),
    }
}

/// Renames the log of a database whose file was replaced, so that the next start does not apply it to the new file.
pub(super) fn set_log_aside(identity: &FileIdentity) {
    match identity.set_log_aside() {
        Ok(None) => {}
        Ok(Some(log)) => tracing::error!(
            log = %log.display(),
            "the file of the database was replaced, and the write-ahead log of the earlier file was renamed, so that it \
             does not damage the new one: start again"
        ),
        Err(error) => tracing::error!(
            %error,
            "the file of the database was replaced, and the write-ahead log of the earlier file could not be renamed: \
             stop the process and remove the log, or the next start will damage the new file"
        ),
    }
}
