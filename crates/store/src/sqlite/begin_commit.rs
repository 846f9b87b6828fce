//! BEGIN, COMMIT and ROLLBACK.

use rusqlite::Connection;

use super::error::map_error;
use crate::error::{Error, Result};
use crate::savepoint::Savepoint;

/// Begins a read-only transaction, which reads from one snapshot.
pub(super) fn begin_reading(connection: &Connection) -> Result<()> {
    run(connection, "BEGIN")
}

/// A read snapshot, held until dropped.
pub(super) struct Snapshot<'c>(Option<&'c Connection>);

/// Opens a read snapshot, unless a transaction already provides one.
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

/// Begins a transaction that may write.
pub(super) fn begin(connection: &Connection) -> Result<()> {
    run(connection, "BEGIN IMMEDIATE")
}

/// Commits the open transaction, or rolls it back if that fails.
pub(super) fn end(connection: &Connection) -> Result<()> {
    if connection.is_autocommit() {
        return Err(Error::Failed(
            "the database rolled the transaction back".to_owned(),
        ));
    }
    run(connection, "COMMIT").inspect_err(|_| undo(connection))
}

/// Rolls the open transaction back, if one is still open.
pub(super) fn undo(connection: &Connection) {
    if connection.is_autocommit() {
        return;
    }
    if let Err(error) = run(connection, "ROLLBACK") {
        tracing::error!(%error, "cannot roll a transaction back");
    }
}

/// Begins or ends a savepoint.
pub(super) fn savepoint(connection: &Connection, step: Savepoint) -> Result<()> {
    match step {
        Savepoint::Begin => run(connection, "SAVEPOINT nested"),
        Savepoint::Release => run(connection, "RELEASE nested"),
        Savepoint::Undo => {
            run(connection, "ROLLBACK TO nested")?;
            run(connection, "RELEASE nested")
        }
    }
}

fn run(connection: &Connection, sql: &str) -> Result<()> {
    let mut prepared = connection.prepare_cached(sql).map_err(map_error)?;
    prepared.execute(()).map(|_| ()).map_err(map_error)
}

/// Undoes a savepoint that was dropped, on the connection of its transaction.
pub(super) fn undo_abandoned(connection: Result<&Connection>) {
    let undone = connection.and_then(|connection| savepoint(connection, Savepoint::Undo));
    if let Err(error) = undone {
        tracing::debug!(%error, "the transaction of a savepoint has ended before it");
    }
}
