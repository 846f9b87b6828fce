//! Statements whose callers went away in the middle: they are cancelled, and it is known when none can happen any more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Object;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::connection::PostgresServer;

/// So long one cancellation may take to be noticed before the next; the server ignores one that comes before the statement.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);
/// So long it is tried; no lock is waited for longer, so a statement that still runs then works and is not held up.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(7);

/// The statements that were given up and may still happen.
pub(super) struct Cancellations {
    server: Arc<PostgresServer>,
    open: watch::Sender<OpenCancellations>,
}

#[derive(Default)]
struct OpenCancellations {
    /// So many statements were given up so far.
    count: u64,
    /// The numbers of those that may still happen.
    numbers: BTreeSet<u64>,
}

impl Cancellations {
    pub(super) fn new(server: Arc<PostgresServer>) -> Arc<Self> {
        Arc::new(Self {
            server,
            open: watch::Sender::default(),
        })
    }

    /// Cancels what runs on a connection of a caller that went away, and closes it.
    fn cancel(self: &Arc<Self>, client: Object, runtime: &Handle) {
        let mut number = 0;
        self.open.send_modify(|open| {
            open.count += 1;
            number = open.count;
            open.numbers.insert(number);
        });
        let settled = Pending(Arc::clone(self), number);
        runtime.spawn(async move {
            let end = settled.0.end(&client);
            if tokio::time::timeout(CANCEL_TIMEOUT, end).await.is_err() {
                tracing::warn!("a statement that was given up could not be cancelled");
            }
            // A cancellation that arrives late must not meet the statement of another.
            drop(Object::take(client));
            drop(settled);
        });
    }

    /// Cancels until nothing runs on the connection any more.
    async fn end(&self, client: &Object) {
        let token = client.cancel_token();
        // Answered after everything that was sent before.
        let mut idle = std::pin::pin!(client.batch_execute(""));
        loop {
            tokio::select! {
                // Also an error: the connection is lost, or this was cancelled itself and so came to its turn.
                _ = &mut idle => return,
                _ = async {
                    token.cancel_query(self.server.tls.clone()).await.ok();
                    tokio::time::sleep(RETRY_INTERVAL).await;
                } => {}
            }
        }
    }

    /// Returns when nothing that was given up until now can happen any more.
    pub(super) async fn wait_pending(&self) {
        let mut open = self.open.subscribe();
        let last = open.borrow().count;
        let is_past = |open: &OpenCancellations| open.numbers.first().is_none_or(|first| *first > last);
        // It fails only without a sender, which is here.
        open.wait_for(is_past).await.ok();
    }
}

/// Strikes a statement off when it is dropped, also by the end of the runtime.
struct Pending(Arc<Cancellations>, u64);

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.open.send_modify(|open| {
            open.numbers.remove(&self.1);
        });
    }
}

/// A connection with a statement on it, which is cancelled unless its end is awaited.
pub(super) struct CancelOnDrop {
    client: Option<Object>,
    given_up: Arc<Cancellations>,
    runtime: Handle,
}

impl CancelOnDrop {
    pub(super) fn new(client: Object, given_up: &Arc<Cancellations>) -> Self {
        Self {
            client: Some(client),
            given_up: Arc::clone(given_up),
            runtime: Handle::current(),
        }
    }

    pub(super) fn client(&self) -> &Object {
        self.client
            .as_ref()
            .expect("only `end` and `drop` take the connection, and both end `self`")
    }

    pub(super) fn end(mut self) -> Object {
        self.client
            .take()
            .expect("only `end` and `drop` take the connection, and both end `self`")
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            self.given_up.cancel(client, &self.runtime);
        }
    }
}
