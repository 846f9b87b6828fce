//! Handover of a loaded draft to the request that it is an item of.

use std::sync::Arc;

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use model_resource_store::Store;
use tokio::sync::oneshot;

/// Loaded draft of a bulk item that waits to be written.
pub(crate) struct Arrival {
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

/// Drafts that an item hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandoverTime {
    /// Drafts with batch checks. The item runs in the transaction of the request.
    BeforeChecks,
    /// Every draft, because the transaction of the request begins when all are loaded.
    BeforeTransaction,
}

/// Sender for the draft of a bulk item.
pub(crate) struct Handover {
    pub(crate) arrivals: oneshot::Sender<Arrival>,
    pub(crate) time: HandoverTime,
}
