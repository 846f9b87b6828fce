//! Runs of bulk items: each until its draft is loaded, and then to its end, in order.

use std::sync::Arc;

use futures_util::future::{BoxFuture, Either, select};
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use model_resource_store::Store;
use tokio::sync::oneshot;

use crate::access::Caller;
use crate::handle::Reply;
use crate::load::{BatchScope, check_batch};
use crate::pipeline::{Arrival, Result, Verdict};

/// Run of one item's operation.
pub(super) enum ItemRun {
    /// The operation has ended.
    Ended(Result<Reply>),
    /// The draft is loaded and handed over.
    Waiting(BoxFuture<'static, Result<Reply>>, Arrival),
    /// The draft is checked with its batch, or needs no check.
    Checked(BoxFuture<'static, Result<Reply>>),
}

impl ItemRun {
    /// Runs an operation until it ends, or until its loader hands the draft over.
    pub(super) async fn start(
        operation: BoxFuture<'static, Result<Reply>>,
        arrival: oneshot::Receiver<Arrival>,
    ) -> Self {
        match select(operation, arrival).await {
            Either::Left((result, _)) => ItemRun::Ended(result),
            Either::Right((Ok(arrival), operation)) => ItemRun::Waiting(operation, arrival),
            // The loader has nothing to hand over.
            Either::Right((Err(_), operation)) => ItemRun::Ended(operation.await),
        }
    }

    /// Runs the operation to its end.
    pub(super) async fn finish(self) -> Result<Reply> {
        match self {
            ItemRun::Ended(result) => result,
            ItemRun::Waiting(operation, _) | ItemRun::Checked(operation) => operation.await,
        }
    }
}

/// Drafts that one serializer has loaded.
struct LoadedBatch {
    serializer: Arc<CompiledSerializer>,
    mode: WriteMode,
    drafts: Vec<AnyDraft>,
    verdicts: Vec<oneshot::Sender<Verdict>>,
}

/// Checks all waiting drafts, one batch per serializer, and lets them be written in `store`.
pub(super) async fn check_waiting(
    runs: Vec<(usize, ItemRun)>,
    store: &Store,
    caller: &Caller,
) -> Result<Vec<(usize, ItemRun)>> {
    let mut batches: Vec<LoadedBatch> = Vec::new();
    let mut started = Vec::with_capacity(runs.len());
    for (position, run) in runs {
        let run = match run {
            ItemRun::Waiting(operation, arrival) => {
                join(&mut batches, arrival);
                ItemRun::Checked(operation)
            }
            other => other,
        };
        started.push((position, run));
    }
    // Each batch locks its table. The fixed order prevents deadlocks between requests.
    batches.sort_by_key(|batch| batch.serializer.table().name);
    for batch in batches {
        let scope = BatchScope {
            store: store.clone(),
            caller: caller.clone(),
            mode: batch.mode,
        };
        let checked = match batch.serializer.batch_checks() {
            [] => batch
                .drafts
                .into_iter()
                .map(|draft| (draft, Errors::new()))
                .collect(),
            _ => check_batch(&batch.serializer, &scope, batch.drafts).await?,
        };
        for (verdict, (draft, errors)) in std::iter::zip(batch.verdicts, checked) {
            let store = store.clone();
            // An operation that was dropped needs no result.
            let _ = verdict.send(Verdict { draft, errors, store });
        }
    }
    Ok(started)
}

/// Adds a draft to the batch of its serializer.
fn join(batches: &mut Vec<LoadedBatch>, arrival: Arrival) {
    let Arrival {
        serializer,
        mode,
        draft,
        verdict,
    } = arrival;
    let own = batches
        .iter_mut()
        .find(|batch| Arc::ptr_eq(&batch.serializer, &serializer) && batch.mode == mode);
    match own {
        Some(batch) => {
            batch.drafts.push(draft);
            batch.verdicts.push(verdict);
        }
        None => batches.push(LoadedBatch {
            serializer,
            mode,
            drafts: vec![draft],
            verdicts: vec![verdict],
        }),
    }
}
