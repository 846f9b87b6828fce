//! Exclusive connections for single writes and long reads. Each statement has its own connection, so that it can be
//! cancelled alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use deadpool_postgres::{Object, Pool};

use super::attempt::Attempt;
use super::cancel::{CancelOnDrop, Cancellations};
use super::codec::Parameter;
use super::connection::{self, Ended, OnRow};
use super::error::{StatementError, is_lost, is_outdated};
use super::intent::Intent;
use super::pool::{prepare, unpooled};
use super::statement::PostgresStatement;

/// A connection pool for single statements of one kind.
pub(super) struct ExclusiveStatements {
    pool: Pool,
    cancellations: Arc<Cancellations>,
    intent: Intent,
    /// Number of statements started.
    statements: AtomicU64,
}

impl ExclusiveStatements {
    pub(super) fn new(pool: Pool, cancellations: Arc<Cancellations>, intent: Intent) -> Self {
        Self {
            pool,
            cancellations,
            intent,
            statements: AtomicU64::new(0),
        }
    }

    pub(super) fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Runs a statement and passes its rows to the callback.
    ///
    /// Retries once on another connection if the first was lost before the statement was sent, or before a read
    /// returned a row. A write without a response may have taken effect. A statement whose future is dropped is
    /// cancelled.
    pub(super) async fn each(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        self.statements.fetch_add(1, Ordering::Relaxed);
        match self.attempt(statement, take).await {
            Attempt::Retry(_) => self.attempt(statement, take).await.last(),
            done => done.last(),
        }
    }

    async fn attempt(&self, statement: &PostgresStatement<'_>, take: &mut OnRow<'_>) -> Attempt {
        let client = match self.pool.get().await {
            Ok(client) => client,
            Err(error) => return Attempt::Done(Err(unpooled(error))),
        };
        // Guarded from here on, since preparing a statement can already wait for locks.
        let running = CancelOnDrop::new(client, &self.cancellations);
        let prepared = match prepare(running.client(), statement.sql()).await {
            Ok(prepared) => prepared,
            Err(error) if is_lost(&error) => {
                drop(Object::take(running.end()));
                return Attempt::Retry(error);
            }
            Err(error) => {
                drop(running.end());
                return Attempt::Done(Err(error.into()));
            }
        };
        let mut has_rows = false;
        let take = &mut |row| {
            has_rows = true;
            take(row)
        };
        let ran = match self.intent {
            Intent::Read | Intent::Write => {
                connection::run(running.client(), &prepared, statement.parameters(), take).await
            }
            Intent::ReadOnly => {
                run_read_only(running.client(), &prepared, statement.parameters(), take).await
            }
        };
        if let (Intent::ReadOnly, Ok(Ended::Broken)) = (self.intent, &ran) {
            // The statement may return rows without end, so it is cancelled together with its connection.
            drop(running);
            return Attempt::Done(Ok(0));
        }
        let client = running.end();
        match ran {
            Err(error) if is_outdated(&error) => {
                client.statement_cache.remove(statement.sql(), &[]);
                Attempt::Retry(error)
            }
            Err(error) if is_lost(&error) => {
                drop(Object::take(client));
                match self.intent {
                    Intent::Read | Intent::ReadOnly if !has_rows => Attempt::Retry(error),
                    Intent::Read | Intent::ReadOnly | Intent::Write => Attempt::Done(Err(error.into())),
                }
            }
            ran => Attempt::Done(ran.map(Ended::count).map_err(StatementError::Database)),
        }
    }
}

/// Runs a statement in a transaction that rejects writes. All three statements are pipelined.
async fn run_read_only(
    client: &Object,
    prepared: &tokio_postgres::Statement,
    parameters: &[Parameter<'_>],
    take: &mut OnRow<'_>,
) -> Result<Ended, tokio_postgres::Error> {
    let ran = async {
        match connection::run(client, prepared, parameters, take).await {
            Ok(Ended::Complete(count)) => Ok(count),
            Ok(Ended::Broken) => Err(None),
            Err(error) => Err(Some(error)),
        }
    };
    let begin = async { client.batch_execute("BEGIN READ ONLY").await.map_err(Some) };
    let commit = async { client.batch_execute("COMMIT").await.map_err(Some) };
    match tokio::try_join!(begin, ran, commit) {
        Ok(((), count, ())) => Ok(Ended::Complete(count)),
        Err(None) => Ok(Ended::Broken),
        Err(Some(error)) => {
            // A value that could not be encoded fails before the end of the transaction is sent.
            client.batch_execute("ROLLBACK").await.ok();
            Err(error)
        }
    }
}
