//! Batch checks of a request's drafts, which query the database.

use std::sync::Arc;

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use model_resource_store::Store;
use tokio::sync::oneshot;

use crate::load::{BatchScope, check_batch};
use crate::pipeline::context::db::Db;
use crate::pipeline::context::handover::{Arrival, HandoverTime, Verdict};
use crate::pipeline::context::request::Context;
use crate::pipeline::error::{Error, Result};

/// Time at which the batch checks of a single object run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckTime {
    /// When it is loaded, for a handler that takes the errors, and again when it is written.
    AtLoad,
    /// When it is written, by the automatic handler.
    AtWrite,
}

impl Context {
    /// Runs the batch checks of a draft: together with the other objects of the request, if there are any.
    pub(crate) async fn check_loaded(
        &mut self,
        serializer: &Arc<CompiledSerializer>,
        mode: WriteMode,
        draft: AnyDraft,
        time: CheckTime,
    ) -> Result<(AnyDraft, Errors)> {
        let has_checks = !serializer.batch_checks().is_empty();
        let handover = match &mut self.0.db {
            Db::Shared(_, _, handover) => {
                handover.take_if(|handover| has_checks || handover.time == HandoverTime::BeforeTransaction)
            }
            _ if !has_checks => None,
            // The write runs the checks. Nothing expensive is done for an object that a check rejects.
            Db::Store | Db::Transaction(_) if time == CheckTime::AtWrite && !serializer.converts(&draft) => {
                return Ok((draft, Errors::new()));
            }
            Db::Store | Db::Transaction(_) => None,
        };
        let Some(handover) = handover else {
            return self.check_single(serializer, mode, draft).await;
        };
        let (verdict, answer) = oneshot::channel();
        let arrival = Arrival {
            serializer: Arc::clone(serializer),
            mode,
            draft,
            verdict,
        };
        if let Err(Arrival { draft, .. }) = handover.arrivals.send(arrival) {
            return self.check_single(serializer, mode, draft).await;
        }
        let answer = answer.await;
        let Verdict { draft, errors, store } =
            answer.map_err(|_| Error::internal("the request ended before its objects were checked"))?;
        if let Db::Shared(shared, ..) = &mut self.0.db {
            *shared = store;
        }
        Ok((draft, errors))
    }

    /// Runs the batch checks of a single draft.
    pub(crate) async fn check_single(
        &self,
        serializer: &CompiledSerializer,
        mode: WriteMode,
        draft: AnyDraft,
    ) -> Result<(AnyDraft, Errors)> {
        if serializer.batch_checks().is_empty() {
            return Ok((draft, Errors::new()));
        }
        let scope = self.batch_scope(self.store(), mode);
        let checked = check_batch(serializer, &scope, vec![draft]).await?;
        let mut checked = checked.into_iter();
        checked
            .next()
            .ok_or_else(|| Error::internal("a batch check has lost its draft"))
    }

    /// Context of this request's batch checks, which query `store`.
    pub(super) fn batch_scope(&self, store: &Store, mode: WriteMode) -> BatchScope {
        BatchScope {
            store: store.clone(),
            caller: self.caller().clone(),
            mode,
        }
    }
}
