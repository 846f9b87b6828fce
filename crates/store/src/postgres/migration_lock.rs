//! The lock under which tables are changed, so that several processes can start at once.

use std::time::{Duration, Instant};

use super::connection::PostgresConnection;
use super::error::map_error;
use super::server::PostgresServer;
use super::session::SessionKind;
use crate::error::Result;

/// Takes the lock until the end of the transaction, if it is free. A pooler in transaction mode would pass a lock of
/// the session on to others.
const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock(7163271884905)";
/// Interval between attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);
/// Interval between messages about the wait.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// The lock, held by an open transaction of its own connection.
pub(super) struct MigrationLock(PostgresConnection);

impl MigrationLock {
    /// Waits for the lock as long as another process changes tables, and says so.
    pub(super) async fn acquire(server: &PostgresServer) -> Result<Self> {
        let mut connection = server.connect(SessionKind::Maintenance).await?;
        let mut reported: Option<Instant> = None;
        while !try_lock(&mut connection)
            .await
            .map_err(|error| map_error(&error))?
        {
            if reported.is_none_or(|moment| moment.elapsed() >= REPORT_INTERVAL) {
                tracing::info!("waiting for another process that migrates the database");
                reported = Some(Instant::now());
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
        Ok(Self(connection))
    }

    /// Runs statements in the transaction that holds the lock.
    pub(super) async fn run(&self, sql: &str) -> Result<(), tokio_postgres::Error> {
        self.0.batch(sql).await
    }

    pub(super) async fn release(self) {
        // The server also releases the lock when the connection is lost.
        self.0.batch("COMMIT").await.ok();
    }
}

async fn try_lock(connection: &mut PostgresConnection) -> Result<bool, tokio_postgres::Error> {
    let client = connection.client();
    client.batch_execute("BEGIN").await?;
    let answers = client.simple_query(TRY_LOCK).await?;
    let is_locked = answers.iter().any(|answer| match answer {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0) == Some("t"),
        _ => false,
    });
    if !is_locked {
        client.batch_execute("ROLLBACK").await?;
    }
    Ok(is_locked)
}
