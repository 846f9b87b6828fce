//! Connections. Each statement is sent immediately, behind those still waiting for responses (pipelining).

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use futures_util::TryStreamExt;
use tokio_postgres::{CancelToken, Client, Row};

use super::generation::Membership;
use super::health::ServerHealth;
use super::statement::PostgresStatement;

/// Maximum prepared statements per connection.
const MAX_STATEMENTS: usize = 512;

/// Callback that receives rows one by one until it breaks.
pub(super) type OnRow<'t> = dyn FnMut(Row) -> ControlFlow<()> + Send + 't;

/// A connection and its prepared statements. It closes when dropped.
pub(super) struct PostgresConnection {
    client: Client,
    health: Arc<ServerHealth>,
    membership: Membership,
    statements: Mutex<HashMap<String, tokio_postgres::Statement>>,
}

/// A statement that failed.
pub(super) struct FailedStatement {
    pub(super) error: tokio_postgres::Error,
    /// Whether it may have been executed, rather than only prepared.
    pub(super) was_sent: bool,
}

impl FailedStatement {
    pub(super) fn unsent(error: tokio_postgres::Error) -> Self {
        Self {
            error,
            was_sent: false,
        }
    }

    pub(super) fn sent(error: tokio_postgres::Error) -> Self {
        Self {
            error,
            was_sent: true,
        }
    }
}

impl PostgresConnection {
    pub(super) fn new(client: Client, health: Arc<ServerHealth>, membership: Membership) -> Self {
        Self {
            client,
            health,
            membership,
            statements: Mutex::default(),
        }
    }

    /// Whether the connection is open, and not one that must be replaced.
    pub(super) fn is_usable(&self) -> bool {
        !self.client.is_closed() && self.membership.is_current()
    }

    /// Runs a statement and passes its rows to the callback until it breaks.
    pub(super) async fn each(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<Ended, FailedStatement> {
        let prepared = self.prepare(statement).await.map_err(FailedStatement::unsent)?;
        let ran = self.run(&prepared, statement, take).await;
        ran.map_err(FailedStatement::sent)
    }

    /// Prepares a statement, once per connection.
    pub(super) async fn prepare(
        &self,
        statement: &PostgresStatement<'_>,
    ) -> Result<tokio_postgres::Statement, tokio_postgres::Error> {
        let sql = statement.sql();
        if let Some(prepared) = self.statements().get(sql) {
            return Ok(prepared.clone());
        }
        let _in_flight = self.health.begin();
        let prepared = self.client.prepare(sql).await?;
        let mut statements = self.statements();
        if statements.len() >= MAX_STATEMENTS {
            statements.clear();
        }
        statements.insert(sql.to_owned(), prepared.clone());
        Ok(prepared)
    }

    /// Runs a prepared statement and passes its rows to the callback until it breaks.
    pub(super) async fn run(
        &self,
        prepared: &tokio_postgres::Statement,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<Ended, tokio_postgres::Error> {
        let _in_flight = self.health.begin();
        let mut rows = pin!(self.client.query_raw(prepared, statement.parameters()).await?);
        while let Some(row) = rows.try_next().await? {
            if take(row).is_break() {
                return Ok(Ended::Broken);
            }
        }
        Ok(Ended::Complete(rows.rows_affected().unwrap_or(0)))
    }

    /// Runs statements without parameters and rows, such as `BEGIN`.
    pub(super) async fn batch(&self, sql: &str) -> Result<(), tokio_postgres::Error> {
        let _in_flight = self.health.begin();
        self.client.batch_execute(sql).await
    }

    /// Waits for the server's response to an empty query, which it answers after everything sent before. Not counted
    /// as a statement.
    pub(super) async fn ping(&self) -> Result<(), tokio_postgres::Error> {
        self.client.batch_execute("").await
    }

    pub(super) fn cancel_token(&self) -> CancelToken {
        self.client.cancel_token()
    }

    /// The driver's client, for migrations.
    pub(super) fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Removes a prepared statement; it is prepared again when needed.
    pub(super) fn forget(&self, sql: &str) {
        self.statements().remove(sql);
    }

    fn statements(&self) -> MutexGuard<'_, HashMap<String, tokio_postgres::Statement>> {
        self.statements.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// End of a statement.
pub(super) enum Ended {
    /// All rows were received. Contains the number of rows that the server counted.
    Complete(u64),
    /// The callback broke. The driver discards the rows that still arrive.
    Broken,
}

impl Ended {
    /// Number of rows that the server counted.
    pub(super) fn count(self) -> u64 {
        match self {
            Self::Complete(count) => count,
            Self::Broken => 0,
        }
    }
}
