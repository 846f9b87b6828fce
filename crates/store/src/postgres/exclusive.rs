//! Exclusive connections for single writes and long reads. Each statement has its own connection, so that it can be
//! cancelled alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use deadpool_postgres::{Object, Pool};

use super::attempt::Attempt;
use super::cancel::{CancelOnDrop, Cancellations};
use super::connection::{self, OnRow};
use super::error::{StatementError, is_lost, is_outdated};
use super::pool::{prepare, unpooled};
use super::statement::PostgresStatement;
use super::transaction::Intent;

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
    ) -> Result<(), StatementError> {
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
        let ran = connection::run(running.client(), &prepared, statement.parameters(), take).await;
        let client = running.end();
        match ran {
            Err(error) if is_outdated(&error) => {
                client.statement_cache.remove(statement.sql(), &[]);
                Attempt::Retry(error)
            }
            Err(error) if is_lost(&error) => {
                drop(Object::take(client));
                if self.intent == Intent::Read && !has_rows {
                    Attempt::Retry(error)
                } else {
                    Attempt::Done(Err(error.into()))
                }
            }
            ran => Attempt::Done(ran.map_err(StatementError::Database)),
        }
    }
}
