//! Cancellation of statements whose futures were dropped, and tracking of those that may still take effect.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;

use super::pool::PooledConnection;
use super::server::PostgresServer;

/// Interval between cancel requests; the server ignores a request that arrives before the statement.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum time to retry a cancellation. Longer than the lock timeout, so a statement that still runs is not waiting
/// for a lock.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(7);

/// Cancelled statements that may still take effect.
pub(super) struct Cancellations {
    server: Arc<PostgresServer>,
    open: watch::Sender<OpenCancellations>,
}

#[derive(Default)]
struct OpenCancellations {
    /// Number of statements cancelled so far.
    count: u64,
    /// Numbers of the statements that may still take effect.
    numbers: BTreeSet<u64>,
}

impl Cancellations {
    pub(super) fn new(server: Arc<PostgresServer>) -> Arc<Self> {
        Arc::new(Self {
            server,
            open: watch::Sender::default(),
        })
    }

    /// Cancels the statement on a connection whose caller is gone, and closes the connection.
    fn cancel(self: &Arc<Self>, connection: PooledConnection, runtime: &Handle) {
        let pending = self.register();
        runtime.spawn(async move {
            let end = pending.0.end(&connection);
            if tokio::time::timeout(CANCEL_TIMEOUT, end).await.is_err() {
                tracing::warn!("a statement of a dropped request could not be cancelled");
            }
            // A late cancel request must not hit another caller's statement.
            connection.close();
            drop(pending);
        });
    }

    /// Registers a statement that may still take effect, until the result is dropped.
    pub(super) fn register(self: &Arc<Self>) -> Pending {
        let mut number = 0;
        self.open.send_modify(|open| {
            open.count += 1;
            number = open.count;
            open.numbers.insert(number);
        });
        Pending(Arc::clone(self), number)
    }

    /// Sends cancel requests until the connection is idle.
    async fn end(&self, connection: &PooledConnection) {
        // The server answers this after everything sent before it.
        let mut idle = std::pin::pin!(connection.ping());
        loop {
            // Awaited to its end: PgBouncer may end itself if a client closes it earlier.
            self.server.cancel(connection).await;
            // Even on error: the connection is lost, or this query itself was cancelled, so it had its turn.
            if tokio::time::timeout(RETRY_INTERVAL, &mut idle).await.is_ok() {
                return;
            }
        }
    }

    /// Waits until no statement cancelled so far can still take effect.
    pub(super) async fn wait_pending(&self) {
        let mut open = self.open.subscribe();
        let last = open.borrow().count;
        let is_past = |open: &OpenCancellations| open.numbers.first().is_none_or(|first| *first > last);
        // Fails only without a sender, which `self` holds.
        open.wait_for(is_past).await.ok();
    }
}

/// Unregisters a cancelled statement on drop, including at the end of the runtime.
pub(super) struct Pending(Arc<Cancellations>, u64);

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.open.send_modify(|open| {
            open.numbers.remove(&self.1);
        });
    }
}

/// A connection with a running statement, which is cancelled on drop unless its end was awaited.
pub(super) struct CancelOnDrop {
    connection: Option<PooledConnection>,
    cancellations: Arc<Cancellations>,
    runtime: Handle,
}

impl CancelOnDrop {
    pub(super) fn new(connection: PooledConnection, cancellations: &Arc<Cancellations>) -> Self {
        Self {
            connection: Some(connection),
            cancellations: Arc::clone(cancellations),
            runtime: Handle::current(),
        }
    }

    pub(super) fn connection(&self) -> &PooledConnection {
        self.connection
            .as_ref()
            .expect("only `end` and `drop` take the connection, and both end `self`")
    }

    pub(super) fn end(mut self) -> PooledConnection {
        self.connection
            .take()
            .expect("only `end` and `drop` take the connection, and both end `self`")
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.cancellations.cancel(connection, &self.runtime);
        }
    }
}
