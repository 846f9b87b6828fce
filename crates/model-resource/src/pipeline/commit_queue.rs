//! Work of a request that waits for the commit of its writes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use http::StatusCode;

use crate::http::spawn_background;

/// Work that waits for a commit.
pub(crate) type CommitWork = BoxFuture<'static, ()>;

/// Work of a request, or of a transaction around several, in the order in which it was added.
#[derive(Default)]
pub(crate) struct CommitQueue(Mutex<Vec<QueuedWork>>);

struct QueuedWork {
    work: CommitWork,
    condition: WorkCondition,
}

/// Condition on which work runs at the end of its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkCondition {
    /// The request succeeds.
    Success,
    /// None: what it waited for is committed.
    Committed,
}

impl CommitQueue {
    /// Adds work.
    pub(crate) fn push(&self, work: CommitWork, condition: WorkCondition) {
        self.queued().push(QueuedWork { work, condition });
    }

    /// Takes all work out.
    pub(crate) fn take(&self) -> Vec<CommitWork> {
        let queued = std::mem::take(&mut *self.queued());
        queued.into_iter().map(|queued| queued.work).collect()
    }

    /// Adds the work of a transaction that was committed.
    pub(crate) fn append(&self, committed: &Self) {
        self.queued().append(&mut committed.queued());
    }

    /// Adds the work of a transaction in which everything succeeded and was committed.
    pub(crate) fn append_committed(&self, committed: &Self) {
        committed.fulfil();
        self.append(committed);
    }

    /// Lets all work run, whatever it waited for.
    fn fulfil(&self) {
        for queued in self.queued().iter_mut() {
            queued.condition = WorkCondition::Committed;
        }
    }

    fn queued(&self) -> MutexGuard<'_, Vec<QueuedWork>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the work of a request when it ends: also if it is cancelled, since what is committed stays.
pub(crate) struct CommitScope(Arc<CommitQueue>);

impl CommitScope {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn queue(&self) -> Arc<CommitQueue> {
        Arc::clone(&self.0)
    }

    /// Ends with a response. Work that waits for the success of the request runs if it is one.
    pub(crate) fn end(self, status: StatusCode) {
        if !status.is_client_error() && !status.is_server_error() {
            self.0.fulfil();
        }
    }
}

impl Drop for CommitScope {
    fn drop(&mut self) {
        let queued = std::mem::take(&mut *self.0.queued());
        let due = queued
            .into_iter()
            .filter(|queued| queued.condition == WorkCondition::Committed);
        let due: Vec<CommitWork> = due.map(|queued| queued.work).collect();
        if !due.is_empty() {
            run(due);
        }
    }
}

/// Runs work in the background, one after the other.
pub(crate) fn run(work: Vec<CommitWork>) {
    spawn_background(async move {
        for one in work {
            one.await;
        }
    });
}
