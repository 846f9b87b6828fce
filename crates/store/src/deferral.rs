//! State of a transaction that begins with its first write.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::task::Waker;

use model_resource_schema::column::Table;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::changes::ChangeTracker;
use crate::database::Database;
use crate::raw_sql::Sql;
use crate::start_waiters::StartWaiters;

/// State of a deferred transaction, which its stores share.
pub(crate) struct Deferral {
    /// Sender for the first write, with the table that many rows are written to.
    announce: Mutex<Option<oneshot::Sender<Option<&'static Table>>>>,
    /// Database inside the transaction, once it has begun.
    begun: OnceLock<Database>,
    /// Woken when the transaction has begun, or when it cannot begin any more.
    waiters: StartWaiters,
    has_ended: AtomicBool,
    /// Whether the work has announced that it writes once.
    writes_once: AtomicBool,
    /// Id of the response that the transaction may store.
    pub(crate) response_id: Option<Uuid>,
    /// Statement that stores a response at the commit.
    response: Mutex<Option<Sql>>,
    /// Changes outside of the transaction.
    pub(crate) changes_outside: ChangeTracker,
    end: DeferredEnd,
}

/// End of a deferred transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeferredEnd {
    /// Commit, if the work succeeds.
    Commit,
    /// Rollback, after which nothing is written: a dry run.
    Discard,
}

impl Deferral {
    /// Creates the state, and the receiver for the announcement of the first write.
    pub(crate) fn new(
        changes_outside: ChangeTracker,
        end: DeferredEnd,
        response_id: Option<Uuid>,
    ) -> (Self, oneshot::Receiver<Option<&'static Table>>) {
        let (announce, announced) = oneshot::channel();
        let deferral = Self {
            announce: Mutex::new(Some(announce)),
            begun: OnceLock::new(),
            waiters: StartWaiters::default(),
            has_ended: AtomicBool::new(false),
            writes_once: AtomicBool::new(false),
            response_id,
            response: Mutex::default(),
            changes_outside,
            end,
        };
        (deferral, announced)
    }

    pub(crate) fn is_dry_run(&self) -> bool {
        self.end == DeferredEnd::Discard
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Database inside the transaction, while it is open.
    pub(crate) fn open(&self) -> Option<&Database> {
        self.begun.get().filter(|_| !self.has_ended())
    }

    /// Says that the work is continued in this task, which the beginning of the transaction then does not wake.
    pub(crate) fn continue_in(&self, task: &Waker) {
        self.waiters.continue_in(task);
    }

    pub(crate) fn begin(&self, database: Database) {
        self.begun.set(database).ok();
        self.waiters.wake_others();
    }

    /// Ends the transaction: later statements run outside of it.
    pub(crate) fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
        self.waiters.wake_all();
    }

    pub(crate) fn expect_one_write(&self) {
        self.writes_once.store(true, Ordering::Release);
    }

    #[cfg(feature = "sqlite")]
    pub(crate) fn writes_once(&self) -> bool {
        self.writes_once.load(Ordering::Acquire)
    }

    /// Query that finds the response of the transaction if it is stored already.
    #[cfg(feature = "sqlite")]
    pub(crate) fn stored_response(&self) -> Option<Sql> {
        let query = Sql::new("SELECT 1 FROM model_resource_responses WHERE id = $1");
        self.response_id.map(|id| query.bind(id))
    }

    /// Sets the statement that stores a response at the commit.
    pub(crate) fn set_response(&self, insert: Sql) {
        *self.response.lock().unwrap_or_else(PoisonError::into_inner) = Some(insert);
    }

    pub(crate) fn take_response(&self) -> Option<Sql> {
        self.response
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Announces a write, and waits until the transaction has begun.
    pub(crate) async fn wait_begun(&self, table: Option<&'static Table>) {
        let announce = {
            let mut announce = self.announce.lock().unwrap_or_else(PoisonError::into_inner);
            announce.take()
        };
        if let Some(announce) = announce {
            // Without a receiver the transaction has ended.
            announce.send(table).ok();
        }
        self.waiters
            .wait(|| self.begun.get().is_some() || self.has_ended())
            .await;
    }
}
