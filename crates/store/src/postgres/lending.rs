//! Clients of open transactions that an application's own code uses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_postgres::Client;

use crate::error::{Error, Result};

/// Clients of one transaction that are lent.
#[derive(Default)]
pub(super) struct Lending {
    counts: Arc<Mutex<LentClients>>,
    /// Whether a savepoint was dropped while a client was lent.
    has_lost_savepoint: AtomicBool,
}

#[derive(Default)]
struct LentClients {
    count: usize,
    /// End of the last use.
    ended: Option<Instant>,
}

/// The client of a transaction, lent until this is dropped.
pub(super) struct LentInTransaction {
    /// Taken by `drop` only.
    client: Option<Arc<Client>>,
    counts: Arc<Mutex<LentClients>>,
}

impl Lending {
    pub(super) fn lend(&self, client: &Arc<Client>) -> LentInTransaction {
        lock(&self.counts).count += 1;
        LentInTransaction {
            client: Some(Arc::clone(client)),
            counts: Arc::clone(&self.counts),
        }
    }

    /// Idle time of a transaction whose last statement of the store is known.
    pub(super) fn idle(&self, last_asked: Instant) -> Duration {
        match &*lock(&self.counts) {
            LentClients { count: 1.., .. } => Duration::ZERO,
            LentClients { ended, .. } => ended.map_or(last_asked, |ended| ended.max(last_asked)).elapsed(),
        }
    }

    /// Notes that a savepoint was dropped. It is undone before the next statement of the store, and would take with it
    /// statements of a client that is lent meanwhile.
    pub(super) fn abandon_savepoint(&self) {
        if lock(&self.counts).count > 0 {
            self.has_lost_savepoint.store(true, Ordering::Release);
        }
    }

    /// Fails if statements of a lent client may be lost.
    pub(super) fn check(&self) -> Result<()> {
        if self.has_lost_savepoint.load(Ordering::Acquire) {
            return Err(Error::Failed(
                "a savepoint of the transaction was dropped while its client was in use: drop the client of \
                 `Store::postgres` first"
                    .to_owned(),
            ));
        }
        Ok(())
    }
}

impl LentInTransaction {
    pub(super) fn client(&self) -> &Client {
        self.client.as_ref().expect("only `drop` takes it")
    }
}

impl Drop for LentInTransaction {
    fn drop(&mut self) {
        // Before it counts as returned, since a connection with a lent client is closed.
        drop(self.client.take());
        let mut clients = lock(&self.counts);
        clients.count -= 1;
        clients.ended = Some(Instant::now());
    }
}

/// Error for the commit of a transaction whose client is still lent.
pub(super) fn still_lent() -> Error {
    Error::Failed(
        "the client of the transaction is still in use, so it was rolled back: drop the client of `Store::postgres` \
         before the commit"
            .to_owned(),
    )
}

fn lock(counts: &Mutex<LentClients>) -> MutexGuard<'_, LentClients> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}
