//! Pipelined connections, shared by many callers: each statement is sent immediately, behind those still waiting for
//! responses.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};

use foldhash::HashMap;
use futures_util::TryStreamExt;
use tokio_postgres::{Client, Config, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::codec::Parameter;
use super::error::map_error;
use super::tls;
use super::url::PostgresUrl;
use crate::error::{Error, Result};

/// Maximum prepared statements per connection.
pub(super) const MAX_STATEMENTS: usize = 512;

/// Callback that receives rows one by one until it breaks.
pub(super) type OnRow<'t> = dyn FnMut(Row) -> ControlFlow<()> + Send + 't;

/// Connection settings of a server.
pub(super) struct PostgresServer {
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
}

impl PostgresServer {
    pub(super) fn new(location: PostgresUrl) -> Result<Self> {
        Ok(Self {
            tls: tls::connector(&location.trust)?,
            config: location.config,
        })
    }

    /// Opens a connection, which closes when the client is dropped.
    pub(super) async fn connect(&self) -> Result<Client> {
        let (client, connection) = match self.config.connect(self.tls.clone()).await {
            Ok(connected) => connected,
            Err(error) if error.as_db_error().is_some() => return Err(map_error(&error)),
            Err(error) => return Err(Error::Unavailable(Error::with_causes(&error))),
        };
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to the database ended");
            }
        });
        Ok(client)
    }
}

/// A connection and its prepared statements.
pub(super) struct PipelinedConnection {
    client: Client,
    statements: Mutex<HashMap<String, tokio_postgres::Statement>>,
}

impl PipelinedConnection {
    pub(super) async fn open(server: &PostgresServer) -> Result<Self> {
        Ok(Self {
            client: server.connect().await?,
            statements: Mutex::default(),
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Prepares a statement once.
    pub(super) async fn prepare(
        &self,
        sql: &str,
    ) -> Result<tokio_postgres::Statement, tokio_postgres::Error> {
        if let Some(prepared) = self.statements().get(sql) {
            return Ok(prepared.clone());
        }
        let prepared = self.client.prepare(sql).await?;
        let mut statements = self.statements();
        if statements.len() >= MAX_STATEMENTS {
            statements.clear();
        }
        statements.insert(sql.to_owned(), prepared.clone());
        Ok(prepared)
    }

    /// Removes a prepared statement; it is prepared again when needed.
    pub(super) fn forget(&self, sql: &str) {
        self.statements().remove(sql);
    }

    pub(super) async fn run(
        &self,
        prepared: &tokio_postgres::Statement,
        parameters: &[Parameter<'_>],
        take: &mut OnRow<'_>,
    ) -> Result<Ended, tokio_postgres::Error> {
        run(&self.client, prepared, parameters, take).await
    }

    fn statements(&self) -> std::sync::MutexGuard<'_, HashMap<String, tokio_postgres::Statement>> {
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

/// Runs a statement and passes its rows to the callback until it breaks.
pub(super) async fn run(
    client: &Client,
    prepared: &tokio_postgres::Statement,
    parameters: &[Parameter<'_>],
    take: &mut OnRow<'_>,
) -> Result<Ended, tokio_postgres::Error> {
    let mut rows = pin!(client.query_raw(prepared, parameters).await?);
    while let Some(row) = rows.try_next().await? {
        if take(row).is_break() {
            return Ok(Ended::Broken);
        }
    }
    Ok(Ended::Complete(rows.rows_affected().unwrap_or(0)))
}
