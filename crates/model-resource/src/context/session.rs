//! Where a request's reads and writes go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model_resource_store::{Store, Transaction};

/// Where a request's reads and writes go.
pub(super) enum Session {
    /// To the application's store, each on its own.
    Plain,
    /// Into a transaction that a handler has opened.
    Own(Transaction),
    /// Into the transaction of the larger request that this one is a part of.
    Part(Store, OpenEnded),
}

/// Whether a part of a larger request has begun what it has not committed yet.
#[derive(Clone, Default)]
pub(crate) struct OpenEnded(Arc<AtomicBool>);

impl OpenEnded {
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(super) fn replace(&self, open: bool) -> bool {
        self.0.swap(open, Ordering::AcqRel)
    }
}
