//! Connections. Each statement is sent immediately, behind those still waiting for responses (pipelining).

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;

use futures_util::TryStreamExt;
use tokio_postgres::{CancelToken, Client, Row, SimpleQueryMessage};

use super::generation::Membership;
use super::health::ServerHealth;
use super::intent::Intent;
use super::preparation::{Preparation, Prepared};
use super::session::SessionLimits;
use super::statement::PostgresStatement;

/// Callback that receives rows one by one until it breaks.
pub(super) type OnRow<'t> = dyn FnMut(Row) -> ControlFlow<()> + Send + 't;

/// Resets a session as `DISCARD ALL` does, but keeps the statements that the driver has prepared. Whether a transaction is
/// open is known by its time: ROLLBACK without one would be a warning in the log of the server.
const RESET: &str = "SELECT pg_catalog.now() = pg_catalog.statement_timestamp() \
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_prepared_statements WHERE from_sql); \
    CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_catalog.pg_advisory_unlock_all(); \
    DISCARD SEQUENCES; DISCARD TEMP; ";

/// A connection and its prepared statements. It closes when dropped.
pub(super) struct PostgresConnection {
    /// Shared with an application's own code while it uses the connection.
    client: Arc<Client>,
    health: Arc<ServerHealth>,
    membership: Membership,
    preparation: Preparation,
    limits: SessionLimits,
    /// Index of its address.
    host: usize,
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
    pub(super) fn new(
        client: Client,
        health: Arc<ServerHealth>,
        membership: Membership,
        preparation: Preparation,
        limits: SessionLimits,
        host: usize,
    ) -> Self {
        Self {
            client: Arc::new(client),
            health,
            membership,
            preparation,
            limits,
            host,
        }
    }

    /// Whether the connection is open, and not one that must be replaced.
    pub(super) fn is_usable(&self) -> bool {
        !self.client.is_closed()
            && !self.is_lent()
            && self.membership.is_current()
            && !self.preparation.has_names()
    }

    /// Whether an application's own code still has the client.
    pub(super) fn is_lent(&self) -> bool {
        Arc::strong_count(&self.client) > 1
    }

    /// Lends the driver's client to an application's own code.
    pub(super) fn lend(&self) -> &Arc<Client> {
        &self.client
    }

    /// Sets the time limit of a lent client, in a transaction behind a pooler, and notes that it uses names.
    pub(super) async fn prepare_lending(&self) -> Result<(), tokio_postgres::Error> {
        self.preparation.use_names();
        match self.limits.lend() {
            "" => Ok(()),
            limit => self.batch(limit).await,
        }
    }

    /// Ends what an application's own code may have left in the session, such as settings, locks and temporary tables.
    /// Returns false if something remains: an open transaction, or a statement that SQL has prepared.
    pub(super) async fn reset(&self) -> Result<bool, tokio_postgres::Error> {
        let sql = format!("{RESET}{}", self.limits.session());
        let answers = self.client.simple_query(&sql).await?;
        let is_clean = answers.iter().find_map(|answer| match answer {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(is_clean == Some("t"))
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

    /// Prepares a statement, once per connection. Without names, once per server and inside a transaction only.
    pub(super) async fn prepare(
        &self,
        statement: &PostgresStatement<'_>,
    ) -> Result<Prepared, tokio_postgres::Error> {
        if let Some(prepared) = self.preparation.get(statement) {
            return Ok(prepared);
        }
        let _in_flight = self.health.begin();
        self.preparation.prepare(&self.client, statement).await
    }

    /// Whether statements with this intent run in a transaction of their own, and how it begins.
    pub(super) fn transaction_of(&self, intent: Intent) -> Option<&str> {
        match (&self.preparation, intent) {
            (Preparation::Named(_), Intent::Read | Intent::Write) => None,
            (_, Intent::ReadOnly) => Some(self.limits.begin_read_only()),
            (Preparation::Unnamed { .. }, Intent::Read | Intent::Write) => Some(self.begin_sql()),
        }
    }

    /// Whether preparing a statement takes a round trip, which must be inside the transaction that runs it.
    pub(super) fn is_prepared_inside(&self, statement: &PostgresStatement<'_>) -> bool {
        matches!(self.preparation, Preparation::Unnamed { .. }) && self.preparation.get(statement).is_none()
    }

    /// Begins a transaction with the time limits of the connection.
    pub(super) fn begin_sql(&self) -> &str {
        self.limits.begin()
    }

    /// Ends a transaction, and the names that it has prepared.
    pub(super) fn commit_sql(&self) -> &'static str {
        if self.preparation.has_names() {
            "DEALLOCATE ALL; COMMIT"
        } else {
            "COMMIT"
        }
    }

    /// Undoes a transaction, and ends the names that it has prepared.
    pub(super) fn rollback_sql(&self) -> &'static str {
        if self.preparation.has_names() {
            "ROLLBACK; DEALLOCATE ALL"
        } else {
            "ROLLBACK"
        }
    }

    /// Runs a prepared statement and passes its rows to the callback until it breaks.
    pub(super) async fn run(
        &self,
        prepared: &Prepared,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<Ended, tokio_postgres::Error> {
        let _in_flight = self.health.begin();
        let rows = match prepared {
            Prepared::Named(prepared) => self.client.query_raw(prepared, statement.parameters()).await?,
            Prepared::Unnamed(types) => {
                let parameters = statement.parameters().iter().zip(types.iter().cloned());
                self.client.query_typed_raw(statement.sql(), parameters).await?
            }
        };
        let mut rows = pin!(rows);
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

    /// Returns the process of the server that answers.
    pub(super) async fn backend(&self) -> Result<Option<String>, tokio_postgres::Error> {
        let answers = self.client.simple_query("SELECT pg_backend_pid()").await?;
        Ok(answers.iter().find_map(|answer| match answer {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    }

    /// Whether a query without parameters returns a row.
    pub(super) async fn finds(&self, sql: &str) -> Result<bool, tokio_postgres::Error> {
        let answers = self.client.simple_query(sql).await?;
        let is_row = |answer: &SimpleQueryMessage| matches!(answer, SimpleQueryMessage::Row(_));
        Ok(answers.iter().any(is_row))
    }

    /// Returns the key of cancel requests, and the index of the address that they are sent to.
    pub(super) fn cancel_token(&self) -> (CancelToken, usize) {
        (self.client.cancel_token(), self.host)
    }

    /// The driver's client, for migrations.
    pub(super) fn client(&mut self) -> &mut Client {
        Arc::get_mut(&mut self.client).expect("connections of migrations are not lent")
    }

    /// Removes a prepared statement that no longer fits the schema. Returns whether running it again may succeed.
    pub(super) fn forget_outdated(&self, sql: &str, error: &tokio_postgres::Error) -> bool {
        self.preparation.forget_outdated(sql, error)
    }
}

impl Drop for PostgresConnection {
    fn drop(&mut self) {
        // Otherwise a client that outlives its transaction would write outside of it.
        if self.is_lent() {
            self.membership.close();
        }
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
