//! The handover of a loaded draft to the check of its batch.

use std::sync::Arc;

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use tokio::sync::oneshot;

/// A loaded draft of one of many objects, which waits for the check of its batch.
pub(crate) struct Arrival {
    pub(crate) plan: Arc<CompiledSerializer>,
    pub(crate) onto: WriteMode,
    pub(crate) draft: AnyDraft,
    /// Takes the draft back, with its errors.
    pub(crate) verdict: oneshot::Sender<(AnyDraft, Errors)>,
}

/// The sending end that a part of a request has, until its draft is handed over.
pub(crate) type Handover = Option<oneshot::Sender<Arrival>>;
