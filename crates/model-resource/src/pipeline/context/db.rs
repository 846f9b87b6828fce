//! Target of a request's reads and writes: the store or a transaction.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model_resource_store::{Store, Transaction};

use crate::pipeline::context::handover::Handover;

/// Target of a request's reads and writes.
pub(crate) enum Db {
    /// The application's store, each statement on its own.
    Store,
    /// A transaction that a handler has opened.
    Transaction(Transaction),
    /// The transaction of the bulk request that this one is an item of, or the application's store before it begins.
    Shared(Box<Store>, NestedBegin, Handover),
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
