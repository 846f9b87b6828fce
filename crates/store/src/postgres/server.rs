//! The server: its addresses, and opening connections to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, SimpleQueryMessage};

use super::cancel_request;
use super::connection::PostgresConnection;
use super::error::{is_lost, map_error, rejects_login};
use super::generation::Generations;
use super::health::{Condition, ServerHealth};
use super::intent::Intent;
use super::learned::LearnedTypes;
use super::preparation::Preparation;
use super::session::{SessionKind, SessionLimits};
use super::url::{PostgresOptions, PostgresUrl, Prepare};
use super::{TlsConnector, tls};
use crate::error::{Error, Result};

/// Maximum time for the server's response to a query that takes no time.
const PING_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum time of the same behind a pooler, where it may wait until a search or a transaction ends.
const POOLED_PING_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time of a cancel request.
const CANCEL_REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// A server, or several with the same data.
pub(super) struct PostgresServer {
    /// One configuration per address.
    hosts: Vec<Config>,
    target: TargetSessionAttrs,
    tls: TlsConnector,
    pub(super) options: PostgresOptions,
    /// Index of the address that was usable last.
    current: AtomicUsize,
    generations: Generations,
    slow_searches: AtomicU64,
    /// Types of parameters, if statements have no names.
    pub(super) learned: Arc<LearnedTypes>,
    pub(super) health: Arc<ServerHealth>,
}

/// Reason why no connection could be opened.
enum Refusal {
    /// The server rejects the password, the role or the database.
    Login(Error),
    Other(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl Refusal {
    fn into_error(self) -> Error {
        match self {
            Self::Login(error) | Self::Other(error) => error,
        }
    }
}

impl PostgresServer {
    pub(super) fn new(location: PostgresUrl) -> Result<Self> {
        Ok(Self {
            tls: tls::connector(&location)?,
            hosts: location.hosts,
            target: location.target,
            options: location.options,
            current: AtomicUsize::new(0),
            generations: Generations::default(),
            slow_searches: AtomicU64::new(0),
            learned: Arc::default(),
            health: Arc::default(),
        })
    }

    #[cfg_attr(
        not(feature = "tls"),
        expect(clippy::clone_on_copy, reason = "the connector of TLS is no `Copy`")
    )]
    pub(super) fn tls(&self) -> TlsConnector {
        self.tls.clone()
    }

    /// Time within which the server responds to a query that takes no time, unless it hangs.
    pub(super) fn ping_timeout(&self) -> Duration {
        match self.options.prepare {
            Prepare::Named => PING_TIMEOUT,
            Prepare::Unnamed => self.options.search_timeout + POOLED_PING_TIMEOUT,
        }
    }

    /// Asks the server to cancel what a connection runs.
    pub(super) async fn cancel(&self, connection: &PostgresConnection) {
        let (token, host) = connection.cancel_token();
        let request = cancel_request::cancel(&token, &self.hosts[host], self.tls());
        // A request without effect is repeated by the caller.
        tokio::time::timeout(CANCEL_REQUEST_TIMEOUT, request).await.ok();
    }

    /// Number of searches that reached their time limit.
    pub(super) fn slow_searches(&self) -> u64 {
        self.slow_searches.load(Ordering::Relaxed)
    }

    /// Counts a search that reached its time limit, and returns its error.
    pub(super) fn too_slow(&self) -> Error {
        self.slow_searches.fetch_add(1, Ordering::Relaxed);
        Error::TooSlow(self.options.search_timeout)
    }

    /// Opens a connection to the first address that accepts one. Fails at once while the server is down.
    pub(super) async fn connect(&self, kind: SessionKind) -> Result<PostgresConnection> {
        self.health.check()?;
        let connected = self.try_hosts(kind).await;
        match &connected {
            Ok(_) => self
                .health
                .clear(|condition| matches!(condition, Condition::RefusesConnections(_))),
            Err(Refusal::Login(error)) => self.reject(error),
            Err(Refusal::Other(error)) => self.health.refused(error),
        }
        connected.map_err(Refusal::into_error)
    }

    /// Stops using a server that rejects the password, the role or the database. Statements on their way end, as do open
    /// transactions.
    fn reject(&self, error: &Error) {
        if self.health.check().is_ok() {
            let reason = match error {
                Error::Unavailable(cause) => cause.clone(),
                other => other.to_string(),
            };
            self.health.set(Condition::RejectsLogins(reason));
            self.generations.replace();
        }
    }

    /// Connects even while the server is down, which it no longer is if that succeeds.
    pub(super) async fn probe(&self) -> Result<PostgresConnection> {
        let connection = self.try_hosts(SessionKind::Maintenance).await;
        let connection = connection.map_err(Refusal::into_error)?;
        self.health.clear(|condition| match condition {
            Condition::Down(_) | Condition::RefusesConnections(_) | Condition::RejectsLogins(_) => true,
            Condition::Available | Condition::ReadOnly => false,
        });
        Ok(connection)
    }

    /// Leaves a server that does not respond: closes all connections and refuses new ones until it responds again.
    pub(super) fn leave(&self) {
        self.health
            .set(Condition::Down("it sends no responses".to_owned()));
        self.current.fetch_add(1, Ordering::Relaxed);
        self.generations.close();
    }

    /// Learns from the success of a statement, about one table if it is known.
    pub(super) fn succeeded(&self, table: Option<&str>, intent: Intent) {
        self.health
            .clear(|condition| *condition == Condition::ReadOnly && intent == Intent::Write);
        self.health.missing_tables.found(table);
    }

    /// Learns from the error of a statement. If the server has become read-only, another address may accept writes.
    pub(super) fn failed(&self, error: &tokio_postgres::Error, intent: Intent) {
        let Some(error) = error.as_db_error() else {
            return;
        };
        if *error.code() == SqlState::READ_ONLY_SQL_TRANSACTION && intent == Intent::Write {
            self.health.set(Condition::ReadOnly);
            self.generations.replace();
        } else if *error.code() == SqlState::UNDEFINED_TABLE && intent != Intent::ReadOnly {
            self.health.missing_tables.add(error);
        }
    }

    /// Fails if the query finds a new session to be read-only. If it does not, the open connections are replaced.
    pub(super) async fn check_new_session(&self, is_read_only: &str) -> Result<()> {
        let connection = self.connect(SessionKind::Maintenance).await?;
        if connection
            .finds(is_read_only)
            .await
            .map_err(|error| map_error(&error))?
        {
            return Err(Error::Unavailable("the server is read-only".to_owned()));
        }
        self.generations.replace();
        Ok(())
    }

    /// Learns from a check that the server accepts writes.
    pub(super) fn accepts_writes(&self) {
        self.health.clear(|condition| *condition == Condition::ReadOnly);
    }

    async fn try_hosts(&self, kind: SessionKind) -> Result<PostgresConnection, Refusal> {
        let (first, count) = (self.current.load(Ordering::Relaxed), self.hosts.len());
        let (mut read_only, mut failure) = (None, None);
        for index in (0..count).map(|offset| (first + offset) % count) {
            match self.try_host(index, kind).await {
                Ok((connection, is_writable)) if is_writable || count == 1 => {
                    self.current.store(index, Ordering::Relaxed);
                    return Ok(connection);
                }
                Ok((connection, _)) => read_only = read_only.or(Some(connection)),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match (read_only, self.target) {
            (Some(connection), target) if target != TargetSessionAttrs::ReadWrite => Ok(connection),
            (Some(_), _) => Err(Error::Unavailable("no server accepts writes".to_owned()).into()),
            (None, _) => {
                let no_host = || Error::Failed("the database URL has no host".to_owned()).into();
                Err(failure.unwrap_or_else(no_host))
            }
        }
    }

    /// Connects to one address and returns whether the server accepts writes. The time limit includes the handshake.
    async fn try_host(&self, host: usize, kind: SessionKind) -> Result<(PostgresConnection, bool), Refusal> {
        let connect = async {
            match self.open_session(host, kind).await {
                // The server ended the session at once, for example while it restarts.
                Err(error) if is_lost(&error) => self.open_session(host, kind).await,
                opened => opened,
            }
        };
        match tokio::time::timeout(self.options.connect_timeout, connect).await {
            Ok(Ok(connected)) => Ok(connected),
            Ok(Err(error)) if rejects_login(&error) => Err(Refusal::Login(map_error(&error))),
            Ok(Err(error)) if error.as_db_error().is_some() => Err(map_error(&error).into()),
            Ok(Err(error)) => Err(Error::Unavailable(Error::with_causes(&error)).into()),
            Err(_) => {
                let limit = self.options.connect_timeout.as_secs_f32();
                Err(Error::Unavailable(format!("a connection took longer than {limit} s")).into())
            }
        }
    }

    async fn open_session(
        &self,
        host: usize,
        kind: SessionKind,
    ) -> Result<(PostgresConnection, bool), tokio_postgres::Error> {
        let number = self.generations.number();
        let (client, driver) = self.hosts[host].connect(self.tls()).await?;
        let driver = tokio::spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(%error, "a connection to the database ended");
            }
        });
        let membership = self.generations.add(number, driver.abort_handle());
        let limits = SessionLimits::new(kind, &self.options);
        let preparation = match self.options.prepare {
            Prepare::Named => Preparation::named(),
            Prepare::Unnamed => Preparation::unnamed(Arc::clone(&self.learned)),
        };
        // A pooler may keep a query waiting, so none is sent that nobody needs.
        let is_writable = match (self.options.prepare, self.hosts.len()) {
            (Prepare::Unnamed, 1) => true,
            _ => begin_session(&client, &limits).await?,
        };
        let health = Arc::clone(&self.health);
        let connection = PostgresConnection::new(client, health, membership, preparation, limits, host);
        Ok((connection, is_writable))
    }
}

/// Sets the time limits of a session, and returns whether it accepts writes.
async fn begin_session(client: &Client, limits: &SessionLimits) -> Result<bool, tokio_postgres::Error> {
    let sql = format!("{}SHOW transaction_read_only", limits.session());
    let answers = client.simple_query(&sql).await?;
    let read_only = answers.iter().rev().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    Ok(read_only == Some("off"))
}
