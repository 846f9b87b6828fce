//! Exclusive connections for single writes and long reads. Each statement has its own connection, so that it can be
//! cancelled alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio_postgres::error::SqlState;

use super::attempt::{Attempt, MAX_ATTEMPTS};
use super::cancel::{CancelOnDrop, Cancellations};
use super::connection::{Ended, FailedStatement, OnRow, PostgresConnection};
use super::error::{StatementError, is_conflict, is_lost, is_stalled};
use super::intent::Intent;
use super::pool::{ConnectionPool, Lane};
use super::session::BRIEF_STATEMENT_TIMEOUT;
use super::statement::PostgresStatement;
use crate::error::Error;

/// Single statements of one kind.
pub(super) struct ExclusiveStatements {
    pool: Arc<ConnectionPool>,
    lane: Lane,
    cancellations: Arc<Cancellations>,
    intent: Intent,
    /// Number of statements started.
    statements: AtomicU64,
}

impl ExclusiveStatements {
    pub(super) fn new(
        pool: &Arc<ConnectionPool>,
        lane: Lane,
        cancellations: &Arc<Cancellations>,
        intent: Intent,
    ) -> Self {
        Self {
            pool: Arc::clone(pool),
            lane,
            cancellations: Arc::clone(cancellations),
            intent,
            statements: AtomicU64::new(0),
        }
    }

    pub(super) fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Runs a statement and passes its rows to the callback.
    ///
    /// Runs again on another connection if the first was lost before the statement was sent, or before a read returned
    /// a row, and if a write was undone because of a deadlock. A write without a response may have taken effect. A
    /// statement whose future is dropped is cancelled.
    pub(super) async fn each(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        self.statements.fetch_add(1, Ordering::Relaxed);
        let mut attempt = self.attempt(statement, take).await;
        for _ in 1..MAX_ATTEMPTS {
            match attempt {
                Attempt::Retry(_) => attempt = self.attempt(statement, take).await,
                Attempt::Done(_) => break,
            }
        }
        attempt.last()
    }

    async fn attempt(&self, statement: &PostgresStatement<'_>, take: &mut OnRow<'_>) -> Attempt {
        let connection = match self.pool.acquire(self.lane, statement.table()).await {
            Ok(connection) => connection,
            Err(error) => return Attempt::Done(Err(error.into())),
        };
        // Guarded from here on, since preparing a statement can already wait for locks.
        let running = CancelOnDrop::new(connection, &self.cancellations);
        let mut has_rows = false;
        let take = &mut |row| {
            has_rows = true;
            take(row)
        };
        let open: &PostgresConnection = running.connection();
        let ran = match open.transaction_of(self.intent) {
            None => open.each(statement, take).await,
            Some(begin) if open.is_prepared_inside(statement) => {
                prepare_in_transaction(open, begin, statement, take).await
            }
            Some(begin) => run_in_transaction(open, begin, statement, take).await,
        };
        if let (Intent::ReadOnly, Ok(Ended::Broken)) = (self.intent, &ran) {
            // The statement may return rows without end, so it is cancelled together with its connection.
            drop(running);
            return Attempt::Done(Ok(0));
        }
        let connection = running.end();
        let FailedStatement { error, was_sent } = match ran {
            Ok(ended) => {
                self.pool.server().succeeded(statement.table(), self.intent);
                return Attempt::Done(Ok(ended.count()));
            }
            Err(failed) => failed,
        };
        self.pool.server().failed(&error, self.intent);
        if connection.forget_outdated(statement.sql(), &error) {
            return Attempt::Retry(error);
        }
        if self.lane == Lane::Searches && error.code() == Some(&SqlState::QUERY_CANCELED) {
            return Attempt::Done(Err(self.pool.server().too_slow().into()));
        }
        if self.lane == Lane::Lists && is_stalled(&error) {
            return Attempt::Done(Err(Error::TooSlow(BRIEF_STATEMENT_TIMEOUT).into()));
        }
        let is_safe_to_retry = match self.intent {
            Intent::Read | Intent::ReadOnly => !has_rows && is_lost(&error),
            Intent::Write => !was_sent && is_lost(&error) || is_conflict(&error),
        };
        if is_lost(&error) {
            connection.close();
        }
        if is_safe_to_retry {
            Attempt::Retry(error)
        } else {
            Attempt::Done(Err(error.into()))
        }
    }
}

/// Runs a statement in a transaction of its own. All three statements are pipelined.
async fn run_in_transaction(
    connection: &PostgresConnection,
    begin: &str,
    statement: &PostgresStatement<'_>,
    take: &mut OnRow<'_>,
) -> Result<Ended, FailedStatement> {
    // Before the others are sent, since nothing may run after the end of the transaction.
    let prepared = connection
        .prepare(statement)
        .await
        .map_err(FailedStatement::unsent)?;
    let ran = async {
        match connection.run(&prepared, statement, take).await {
            Ok(Ended::Complete(count)) => Ok(count),
            Ok(Ended::Broken) => Err(None),
            Err(error) => Err(Some(error)),
        }
    };
    let begin = async { connection.batch(begin).await.map_err(Some) };
    let commit = async { connection.batch("COMMIT").await.map_err(Some) };
    match tokio::try_join!(begin, ran, commit) {
        Ok(((), count, ())) => Ok(Ended::Complete(count)),
        Err(None) => Ok(Ended::Broken),
        Err(Some(error)) => {
            // A value that could not be encoded fails before the end of the transaction is sent.
            connection.batch("ROLLBACK").await.ok();
            Err(FailedStatement::sent(error))
        }
    }
}

/// Runs a statement in a transaction of its own, which also prepares it.
async fn prepare_in_transaction(
    connection: &PostgresConnection,
    begin: &str,
    statement: &PostgresStatement<'_>,
    take: &mut OnRow<'_>,
) -> Result<Ended, FailedStatement> {
    connection.batch(begin).await.map_err(FailedStatement::unsent)?;
    match connection.each(statement, take).await {
        Ok(ended) => {
            let committed = connection.batch(connection.commit_sql()).await;
            committed.map(|()| ended).map_err(FailedStatement::sent)
        }
        Err(failed) => {
            connection.batch(connection.rollback_sql()).await.ok();
            Err(failed)
        }
    }
}
