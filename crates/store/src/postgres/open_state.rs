//! Statements of an open transaction.
//!
//! BEGIN is sent with the first statement, and a savepoint with each further write: the server answers both in one round
//! trip.

use std::sync::Arc;
use std::time::Instant;

use tokio_postgres::Client;

use super::cancel::Cancellations;
use super::connection::{Ended, OnRow};
use super::error::{is_lost, is_outdated, map_error};
use super::held_connection::HeldConnection;
use super::intent::Intent;
use super::pool::PooledConnection;
use super::preparation::Prepared;
use super::reset::reset_before_return;
use super::statement::PostgresStatement;
use crate::error::{Error, Result};
use crate::savepoint::Savepoint;

/// State of a transaction that has not ended.
pub(super) struct OpenState {
    held: HeldConnection,
    pub(super) last_asked: Instant,
    progress: Progress,
    /// Whether a write has begun and not ended.
    writing: bool,
    /// Whether a read or a savepoint was sent and its end is unknown, so that it may have failed.
    has_unknown_end: bool,
}

/// Progress of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// BEGIN was not sent yet.
    Unbegun,
    Begun,
    /// The savepoint of a write exists.
    Saved,
}

/// Outcome of a statement.
pub(super) enum StatementOutcome {
    Done(Result<u64, tokio_postgres::Error>),
    /// The transaction had not begun, and can begin on another connection.
    Unbegun(tokio_postgres::Error),
    /// The transaction cannot continue.
    Broken(Error),
}

impl OpenState {
    pub(super) fn new(connection: PooledConnection) -> Self {
        Self {
            held: HeldConnection::new(connection),
            last_asked: Instant::now(),
            progress: Progress::Unbegun,
            writing: false,
            has_unknown_end: false,
        }
    }

    pub(super) fn is_begun(&self) -> bool {
        self.progress != Progress::Unbegun
    }

    pub(super) fn is_writing(&self) -> bool {
        self.writing
    }

    /// Whether a statement may have failed without the store knowing: one of an application's own code, or one whose caller
    /// did not wait for its end.
    pub(super) fn may_have_failed(&self) -> bool {
        self.has_unknown_end || self.was_lent()
    }

    pub(super) fn into_connection(self) -> PooledConnection {
        self.held.into_connection()
    }

    /// Rolls the transaction back, if it has begun.
    pub(super) async fn undo(self) -> Result<()> {
        if self.is_lent() {
            // The connection closes with `self`. After a ROLLBACK, a statement of the client could still be committed.
            return Ok(());
        }
        if self.is_begun() {
            return self.held.undo().await;
        }
        drop(self.held.into_connection());
        Ok(())
    }

    /// Prepares the connection for an application's own code, after the transaction has begun.
    pub(super) async fn prepare_lending(&mut self, cancellations: &Arc<Cancellations>) -> Result<()> {
        if self.writing {
            return Err(interrupted());
        }
        reset_before_return(self.held.connection_mut(), cancellations);
        let prepared = self.held.connection().prepare_lending().await;
        prepared.map_err(|error| map_error(&error))
    }

    pub(super) fn client(&self) -> &Arc<Client> {
        self.held.connection().lend()
    }

    /// Whether an application's own code has the client.
    pub(super) fn is_lent(&self) -> bool {
        self.held.connection().is_lent()
    }

    /// Whether an application's own code has or had the client, so that statements of it may still run.
    pub(super) fn was_lent(&self) -> bool {
        self.held.connection().has_work_before_return()
    }

    /// Begins the transaction, unless it has begun.
    pub(super) async fn begin(&mut self) -> Result<(), tokio_postgres::Error> {
        if self.is_begun() {
            return Ok(());
        }
        // Before it is sent, since this future may be dropped.
        self.progress = Progress::Begun;
        let connection = self.held.connection();
        let begun = connection.batch(connection.begin_sql()).await;
        begun.inspect_err(|_| self.progress = Progress::Unbegun)
    }

    /// Runs a statement.
    pub(super) async fn run(
        &mut self,
        statement: &PostgresStatement<'_>,
        intent: Intent,
        take: &mut OnRow<'_>,
    ) -> StatementOutcome {
        match intent {
            Intent::Read | Intent::ReadOnly => self.read(statement, take).await,
            Intent::Write => self.write(statement, take).await,
        }
    }

    /// Runs a read. A failure breaks the transaction: it is a bug in the program or a lost connection.
    async fn read(&mut self, statement: &PostgresStatement<'_>, take: &mut OnRow<'_>) -> StatementOutcome {
        // Before anything is sent, since this future may be dropped.
        let was_unknown = std::mem::replace(&mut self.has_unknown_end, true);
        let prepared = match self.prepare(statement).await {
            Ok(prepared) => prepared,
            Err(error) => return self.after_failure(error, false),
        };
        let mut has_rows = false;
        let take = &mut |row| {
            has_rows = true;
            take(row)
        };
        let was_begun = self.is_begun();
        self.progress = self.progress.after_begin();
        let connection = self.held.connection();
        let run = connection.run(&prepared, statement, take);
        let ran = if was_begun {
            run.await
        } else {
            let (begun, ran) = tokio::join!(connection.batch(connection.begin_sql()), run);
            begun.and(ran)
        };
        match ran {
            Ok(ended) => {
                // A broken callback leaves the rest of the rows, and an error among them, to the driver.
                self.has_unknown_end = was_unknown || matches!(ended, Ended::Broken);
                StatementOutcome::Done(Ok(ended.count()))
            }
            Err(error) => {
                if !was_begun {
                    self.progress = Progress::Unbegun;
                }
                self.after_failure(error, has_rows)
            }
        }
    }

    /// Prepares a statement. Inside of the transaction if names are not used, or else at once, since it is prepared once
    /// per connection.
    async fn prepare(
        &mut self,
        statement: &PostgresStatement<'_>,
    ) -> Result<Prepared, tokio_postgres::Error> {
        if self.held.connection().is_prepared_inside(statement) {
            self.begin().await?;
        }
        self.held.connection().prepare(statement).await
    }

    /// Outcome of a failed statement: before the transaction has begun, and without rows that the caller has taken, it can
    /// run again on another connection.
    fn after_failure(&self, error: tokio_postgres::Error, has_rows: bool) -> StatementOutcome {
        let is_repeatable = !self.is_begun() && !has_rows;
        if is_repeatable && (is_lost(&error) || is_outdated(&error)) {
            StatementOutcome::Unbegun(error)
        } else {
            StatementOutcome::Broken(map_error(&error))
        }
    }

    /// Begins or ends a savepoint that the caller names by its step. A failure breaks the transaction.
    pub(super) async fn savepoint(&mut self, step: Savepoint) -> Result<()> {
        let sql = match (step, self.progress) {
            // The savepoint of the last write would otherwise be released with this one.
            (Savepoint::Begin, Progress::Saved) => "RELEASE SAVEPOINT write; SAVEPOINT nested",
            (Savepoint::Begin, _) => "SAVEPOINT nested",
            (Savepoint::Release, _) => "RELEASE SAVEPOINT nested",
            (Savepoint::Undo, _) => "ROLLBACK TO SAVEPOINT nested; RELEASE SAVEPOINT nested",
        };
        self.progress = Progress::Begun;
        // Before it is sent, since this future may be dropped.
        let was_unknown = std::mem::replace(&mut self.has_unknown_end, true);
        let connection = self.held.connection();
        connection.batch(sql).await.map_err(|error| map_error(&error))?;
        self.has_unknown_end = was_unknown;
        Ok(())
    }

    /// Runs a write. If it fails, it alone is undone.
    async fn write(&mut self, statement: &PostgresStatement<'_>, take: &mut OnRow<'_>) -> StatementOutcome {
        if std::mem::replace(&mut self.writing, true) {
            return StatementOutcome::Broken(interrupted());
        }
        let prepared = match self.prepare(statement).await {
            Ok(prepared) => prepared,
            Err(error) => return self.after_failure(error, false),
        };
        let mut has_rows = false;
        let take = &mut |row| {
            has_rows = true;
            take(row)
        };
        let connection = self.held.connection();
        let (save, undo) = match self.progress {
            Progress::Unbegun => (connection.begin_sql(), connection.rollback_sql()),
            Progress::Begun => ("SAVEPOINT write", UNDO),
            Progress::Saved => ("RELEASE SAVEPOINT write; SAVEPOINT write", UNDO),
        };
        // Both are pipelined.
        let (saved, ran) = tokio::join!(connection.batch(save), connection.run(&prepared, statement, take));
        match (saved, &ran) {
            (Ok(()), _) => {}
            // Written outside of the transaction, so it must not run again.
            (Err(error), Ok(_)) => return StatementOutcome::Broken(map_error(&error)),
            (Err(error), Err(_)) => return self.after_failure(error, has_rows),
        }
        if let Ok(Ended::Broken) = ran {
            // The server may send rows without end; closing the connection stops it.
            return StatementOutcome::Broken(Error::TooLarge);
        }
        if let Err(error) = ran {
            connection.forget_outdated(statement.sql(), &error);
            if is_lost(&error) || is_outdated(&error) {
                return self.after_failure(error, has_rows);
            }
            if let Err(error) = connection.batch(undo).await {
                return StatementOutcome::Broken(map_error(&error));
            }
            self.progress = self.progress.after_undo();
            self.writing = false;
            return StatementOutcome::Done(Err(error));
        }
        self.progress = self.progress.after_write();
        self.writing = false;
        StatementOutcome::Done(ran.map(Ended::count))
    }
}

/// Undoes a write after the first.
const UNDO: &str = "ROLLBACK TO SAVEPOINT write";

impl Progress {
    fn after_begin(self) -> Self {
        match self {
            Self::Unbegun => Self::Begun,
            begun => begun,
        }
    }

    fn after_write(self) -> Self {
        match self {
            Self::Unbegun => Self::Begun,
            Self::Begun | Self::Saved => Self::Saved,
        }
    }

    /// Progress after a failed write. The first one is undone with the whole transaction.
    fn after_undo(self) -> Self {
        match self {
            Self::Unbegun => Self::Unbegun,
            Self::Begun | Self::Saved => Self::Saved,
        }
    }
}

pub(super) fn interrupted() -> Error {
    Error::Failed("a write inside the transaction was cancelled before it ended".to_owned())
}
