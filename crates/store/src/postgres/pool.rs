//! Connection pools for exclusive use by one caller at a time.

use std::time::Duration;

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, QueueMode, RecyclingMethod, Runtime,
};

use super::connection::{MAX_STATEMENTS, PostgresServer};
use super::error::StatementError;
use crate::error::{Error, Result};

/// Maximum time to wait for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Creates a pool of at most `size` connections, which are opened on demand.
pub(super) fn pool(server: &PostgresServer, size: usize) -> Result<Pool> {
    let recycling_method = RecyclingMethod::Fast;
    let config = ManagerConfig { recycling_method };
    let manager = Manager::from_config(server.config.clone(), server.tls.clone(), config);
    Pool::builder(manager)
        .max_size(size)
        // The most recently used connection has the most statements prepared.
        .queue_mode(QueueMode::Lifo)
        .wait_timeout(Some(ACQUIRE_TIMEOUT))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|error| Error::Failed(error.to_string()))
}

/// Prepares a statement once per connection.
pub(super) async fn prepare(
    client: &Object,
    sql: &str,
) -> Result<tokio_postgres::Statement, tokio_postgres::Error> {
    if client.statement_cache.size() >= MAX_STATEMENTS {
        client.statement_cache.clear();
    }
    client.prepare_cached(sql).await
}

/// Maps the error of acquiring a connection.
pub(super) fn unpooled(error: PoolError) -> StatementError {
    match error {
        PoolError::Backend(error) if error.as_db_error().is_some() => StatementError::Database(error),
        PoolError::Backend(error) => StatementError::Other(Error::Unavailable(Error::with_causes(&error))),
        PoolError::Timeout(_) => {
            let cause = "too many requests wait for a connection to the database";
            StatementError::Other(Error::Unavailable(cause.to_owned()))
        }
        other => StatementError::Other(Error::Unavailable(other.to_string())),
    }
}
