//! Single writes, and reads that may take long: each has a connection for itself while it runs, so that one that is given up
//! can be cancelled alone.

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

/// Connections that single statements of a kind have for themselves.
pub(super) struct ExclusiveStatements {
    pool: Pool,
    given_up: Arc<Cancellations>,
    intent: Intent,
    /// So many statements were asked for.
    statements: AtomicU64,
}

impl ExclusiveStatements {
    pub(super) fn new(pool: Pool, given_up: Arc<Cancellations>, intent: Intent) -> Self {
        Self {
            pool,
            given_up,
            intent,
            statements: AtomicU64::new(0),
        }
    }

    pub(super) fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Runs a statement and gives its rows away.
    ///
    /// Once more on another connection, if the first was lost before the statement was sent, or before a read gave a row. A
    /// write whose answer does not come may have happened. What has no caller any more is cancelled.
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
        // From here on, since a statement already waits for locks while it is prepared.
        let running = CancelOnDrop::new(client, &self.given_up);
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
        let mut given = false;
        let take = &mut |row| {
            given = true;
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
                match self.intent == Intent::Read && !given {
                    true => Attempt::Retry(error),
                    false => Attempt::Done(Err(error.into())),
                }
            }
            ran => Attempt::Done(ran.map_err(StatementError::Database)),
        }
    }
}
