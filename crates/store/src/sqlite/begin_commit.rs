//! Where a transaction begins and ends.

use rusqlite::Connection;

use super::error::map_error;
use crate::error::{Error, Result};

/// Opens a transaction that only reads: until its end, everything is as it was at its first read.
pub(super) fn begin_reading(connection: &Connection) -> Result<()> {
    run(connection, "BEGIN")
}

/// What is read until this is dropped is of one state.
pub(super) struct Snapshot<'c>(Option<&'c Connection>);

/// Keeps what is read in one state, unless a transaction does so already.
pub(super) fn snapshot(connection: &Connection) -> Result<Snapshot<'_>> {
    if !connection.is_autocommit() {
        return Ok(Snapshot(None));
    }
    begin_reading(connection)?;
    Ok(Snapshot(Some(connection)))
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.0 {
            undo(connection);
        }
    }
}

/// Opens a transaction that may write.
pub(super) fn begin(connection: &Connection) -> Result<()> {
    run(connection, "BEGIN IMMEDIATE")
}

/// Makes the open transaction permanent, or else undoes it.
pub(super) fn end(connection: &Connection) -> Result<()> {
    if connection.is_autocommit() {
        return Err(Error::Failed("the database undid the transaction".to_owned()));
    }
    run(connection, "COMMIT").inspect_err(|_| undo(connection))
}

/// Undoes the open transaction, if there still is one.
pub(super) fn undo(connection: &Connection) {
    if connection.is_autocommit() {
        return;
    }
    if let Err(error) = run(connection, "ROLLBACK") {
        tracing::error!(%error, "cannot undo a transaction");
    }
}

fn run(connection: &Connection, sql: &str) -> Result<()> {
    let mut prepared = connection.prepare_cached(sql).map_err(map_error)?;
    prepared.execute(()).map(|_| ()).map_err(map_error)
}
