//! Handover of a draft to the bulk request that it is an item of.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use model_resource_store::Store;
use tokio::sync::oneshot;

/// Step of an item that waits for its bulk request.
pub(crate) enum Arrival {
    Check(PendingCheck),
    Insert(PendingInsert),
}

/// Loaded draft that waits for the checks of its batch.
pub(crate) struct PendingCheck {
    pub(crate) serializer: Arc<CompiledSerializer>,
    pub(crate) mode: WriteMode,
    pub(crate) draft: AnyDraft,
    /// Returns the draft with the errors of its batch.
    pub(crate) verdict: oneshot::Sender<Verdict>,
}

/// Result of an item's batch.
pub(crate) struct Verdict {
    pub(crate) draft: AnyDraft,
    pub(crate) errors: Errors,
    /// Transaction in which the draft is written.
    pub(crate) store: Store,
}

/// Insert that waits for its transaction. Returns whether the row was written.
pub(crate) type PendingInsert = Box<dyn FnOnce(Store) -> BoxFuture<'static, bool> + Send>;

/// Time at which an item of a bulk request begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemStart {
    /// In the transaction of the request. The item hands over a draft with batch checks.
    InTransaction,
    /// Before the transaction of the request, which begins when all items have handed over their drafts: for batch
    /// checks, or to be inserted.
    BeforeTransaction,
}

/// Sender for the draft of a bulk item, which hands it over once.
pub(crate) struct Handover {
    arrivals: Mutex<Option<oneshot::Sender<Arrival>>>,
    start: ItemStart,
}

impl Handover {
    pub(crate) fn new(start: ItemStart) -> (Self, oneshot::Receiver<Arrival>) {
        let (arrivals, arrival) = oneshot::channel();
        let arrivals = Mutex::new(Some(arrivals));
        (Self { arrivals, start }, arrival)
    }

    /// Takes the sender for a draft with batch checks.
    pub(crate) fn take_for_check(&self) -> Option<oneshot::Sender<Arrival>> {
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        arrivals.take()
    }

    /// Takes the sender for a draft that is to be inserted.
    pub(crate) fn take_for_insert(&self) -> Option<oneshot::Sender<Arrival>> {
        match self.start {
            ItemStart::InTransaction => None,
            ItemStart::BeforeTransaction => self.take_for_check(),
        }
    }
}
