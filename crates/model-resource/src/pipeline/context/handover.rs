//! Handover of a loaded draft to the check of its batch.

use std::sync::Arc;

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use tokio::sync::oneshot;

/// Loaded draft of a bulk item that waits for the check of its batch.
pub(crate) struct Arrival {
    pub(crate) serializer: Arc<CompiledSerializer>,
    pub(crate) mode: WriteMode,
    pub(crate) draft: AnyDraft,
    /// Returns the draft with its errors.
    pub(crate) verdict: oneshot::Sender<(AnyDraft, Errors)>,
}

/// Sender for the draft of a bulk item; taken when the draft is handed over.
pub(crate) type Handover = Option<oneshot::Sender<Arrival>>;
