//! Monitor of a server, which notices when it hangs.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::connection::PostgresConnection;
use super::error::map_error;
use super::health::Progress;
use super::server::PostgresServer;
use super::session::SessionKind;
use super::url::Prepare;
use crate::error::{Error, Result};

/// Interval at which the monitor looks for statements without a response, and for a server that is down.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Interval at which the monitor tries to log in to a server that rejects it, which logs each attempt.
const LOGIN_INTERVAL: Duration = Duration::from_secs(1);

/// Connects for the first time, and watches the server from then on.
pub(super) async fn watch(server: &Arc<PostgresServer>) -> Result<()> {
    let connection = server.connect(SessionKind::Maintenance).await?;
    if server.options.prepare == Prepare::Named {
        require_session(server, &connection).await?;
    }
    tokio::spawn(monitor(Arc::downgrade(server), connection));
    Ok(())
}

/// Fails if a pooler shares the server's sessions between connections, which neither prepared statements nor time limits
/// survive.
async fn require_session(server: &PostgresServer, connection: &PostgresConnection) -> Result<()> {
    let other = server.connect(SessionKind::Maintenance).await?;
    let mut backends = Vec::new();
    for connection in [connection, &other, connection] {
        backends.push(connection.backend().await.map_err(|error| map_error(&error))?);
    }
    if backends[0] == backends[1] || backends[0] != backends[2] {
        return Err(Error::Failed(
            "the database is behind a connection pooler in transaction mode: add `?prepare=off` to its URL, or set the \
             pooler to session mode"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Watches a server until it is dropped.
///
/// Statements that wait for a lock look like statements of a hung server. So when none has ended for an interval, the
/// monitor sends a query on its own connection. If that gets no response either, the server is left: all connections
/// are closed, which ends the statements on them, and the monitor tries every address until one responds. A server that has
/// rejected a login is tried likewise until it accepts one.
async fn monitor(server: Weak<PostgresServer>, connection: PostgresConnection) {
    let mut connection = Some(connection);
    let mut earlier = Progress::default();
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        let Some(server) = server.upgrade() else { return };
        let Some(open) = connection.as_ref().filter(|open| open.is_usable()) else {
            connection = server.probe().await.ok();
            if server.health.rejects_logins() {
                drop(server);
                tokio::time::sleep(LOGIN_INTERVAL).await;
            }
            continue;
        };
        let progress = server.health.progress();
        let is_stalled = progress.is_stalled_since(earlier);
        earlier = progress;
        if is_stalled && !responds(&server, open, progress).await {
            server.leave();
        }
    }
}

/// Whether the server responds to a query, or to any other statement meanwhile.
async fn responds(server: &PostgresServer, connection: &PostgresConnection, before: Progress) -> bool {
    let pinged = tokio::time::timeout(server.ping_timeout(), connection.ping()).await;
    pinged.is_ok() || server.health.progress().ended != before.ended
}
