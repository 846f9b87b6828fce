//! Target of a request's reads and writes: the store or a transaction.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use model_resource_store::{Store, Transaction};

use crate::pipeline::commit_queue::CommitWork;
use crate::pipeline::context::handover::Handover;

/// Target of a request's reads and writes.
pub(crate) enum Db {
    /// The application's store, each statement on its own.
    Store,
    /// A transaction that a handler has opened, and the work that waits for its commit.
    Transaction(Transaction, PendingWork),
    /// The transaction of the bulk request that this one is an item of, or the application's store before it begins.
    Shared(Box<Store>, NestedBegin, Handover),
    /// The transaction of the write that a subscriber hears of.
    Event(Box<Store>, NestedBegin),
}

/// Work that waits for the commit of a transaction. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct PendingWork(Arc<Mutex<Vec<CommitWork>>>);

impl PendingWork {
    pub(super) fn push(&self, work: CommitWork) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.push(work);
    }

    pub(super) fn take(&self) -> Vec<CommitWork> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether an item of a bulk request has an open `begin` without a `commit`.
#[derive(Clone, Default)]
pub(crate) struct NestedBegin(Arc<AtomicBool>);

impl NestedBegin {
    pub(crate) fn is_begun(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Marks the begin. Returns `false` if one is open already.
    pub(crate) fn begin(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// Marks the commit. Returns `false` if nothing was begun.
    pub(crate) fn commit(&self) -> bool {
        self.0.swap(false, Ordering::AcqRel)
    }
}
