//! Runs of bulk items: each until it hands its draft over, and then to its end, in order.

use std::sync::Arc;

use futures_util::future::{BoxFuture, Either, select};
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use model_resource_store::Store;
use tokio::sync::oneshot;

use crate::handle::Reply;
use crate::load::check_batch;
use crate::pipeline::{Arrival, Context, PendingCheck, PendingInsert, Result, Verdict};

/// Run of one item's operation.
pub(super) enum ItemRun {
    /// The operation has ended.
    Ended(Result<Reply>),
    /// The operation waits for the checks of its batch.
    Loaded(BoxFuture<'static, Result<Reply>>, PendingCheck),
    /// The operation waits for its draft to be inserted.
    Ready(BoxFuture<'static, Result<Reply>>, PendingInsert),
    /// The operation has what it waited for.
    Resumable(BoxFuture<'static, Result<Reply>>),
}

impl ItemRun {
    /// Runs an operation until it ends, or until it hands its draft over.
    pub(super) async fn start(
        operation: BoxFuture<'static, Result<Reply>>,
        arrival: oneshot::Receiver<Arrival>,
    ) -> Self {
        match select(operation, arrival).await {
            Either::Left((result, _)) => ItemRun::Ended(result),
            Either::Right((Ok(Arrival::Check(check)), operation)) => ItemRun::Loaded(operation, check),
            Either::Right((Ok(Arrival::Insert(insert)), operation)) => ItemRun::Ready(operation, insert),
            // The operation has nothing to hand over.
            Either::Right((Err(_), operation)) => ItemRun::Ended(operation.await),
        }
    }

    /// Writes the object in `store`, which is a transaction. What remains for the reply need not run in it. Fails if the
    /// object is rejected.
    pub(super) async fn write(self, store: &Store) -> Result<Self> {
        let (operation, insert) = match self {
            ItemRun::Ready(operation, insert) => (operation, insert),
            other => return Ok(ItemRun::Ended(Ok(other.finish().await?))),
        };
        let is_written = insert(store.clone()).await;
        if is_written {
            Ok(ItemRun::Resumable(operation))
        } else {
            Ok(ItemRun::Ended(Ok(operation.await?)))
        }
    }

    /// Runs the operation to its end.
    pub(super) async fn finish(self) -> Result<Reply> {
        match self {
            ItemRun::Ended(result) => result,
            ItemRun::Loaded(operation, _) | ItemRun::Ready(operation, _) | ItemRun::Resumable(operation) => {
                operation.await
            }
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

/// Checks all loaded drafts, one batch per serializer, and lets them be written in `store`.
pub(super) async fn check_loaded(
    runs: Vec<(usize, ItemRun)>,
    store: &Store,
    cx: &Context,
) -> Result<Vec<(usize, ItemRun)>> {
    let mut batches: Vec<LoadedBatch> = Vec::new();
    let mut started = Vec::with_capacity(runs.len());
    for (position, run) in runs {
        let run = match run {
            ItemRun::Loaded(operation, check) => {
                join(&mut batches, check);
                ItemRun::Resumable(operation)
            }
            other => other,
        };
        started.push((position, run));
    }
    // Each batch locks its table. The fixed order prevents deadlocks between requests.
    batches.sort_by_key(|batch| batch.serializer.table().name);
    for batch in batches {
        let scope = cx.batch_scope(store, batch.mode);
        let checked = check_batch(&batch.serializer, &scope, batch.drafts).await?;
        for (verdict, (draft, errors)) in std::iter::zip(batch.verdicts, checked) {
            let store = store.clone();
            // An operation that was dropped needs no result.
            let _ = verdict.send(Verdict { draft, errors, store });
        }
    }
    Ok(started)
}

/// Adds a draft to the batch of its serializer.
fn join(batches: &mut Vec<LoadedBatch>, check: PendingCheck) {
    let PendingCheck {
        serializer,
        mode,
        draft,
        verdict,
    } = check;
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
