//! Where a request's reads and writes go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model_resource_store::{Store, Transaction};

use crate::context::handover::Handover;

/// Where a request's reads and writes go.
pub(super) enum Db {
    /// To the application's store, each on its own.
    Store,
    /// Into a transaction that a handler has opened.
    Transaction(Transaction),
    /// Into the transaction of the larger request that this one is a part of.
    Shared(Store, NestedBegin, Handover),
}

/// Whether a part of a larger request has begun what it has not committed yet.
#[derive(Clone, Default)]
pub(crate) struct NestedBegin(Arc<AtomicBool>);

impl NestedBegin {
    pub(crate) fn is_begun(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Whether it could begin: not what it has begun already.
    pub(super) fn begin(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// Whether there was anything to commit.
    pub(super) fn commit(&self) -> bool {
        self.0.swap(false, Ordering::AcqRel)
    }
}
