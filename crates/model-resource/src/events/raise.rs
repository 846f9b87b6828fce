//! Events of one write: subscribers run in its transaction, and others when it is committed.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;
use model_resource_schema::model::{Model, Record};
use model_resource_store::Store;

use crate::events::change::{Change, RowChange};
use crate::events::subscribers::AfterChange;
use crate::pipeline::{ApiHandle, ApiState, CommitQueue, CommitSink, CommitWork, Context, Error, Result};

/// Maximum writes that cause each other: a subscriber writes, another one hears of that and writes, and so on.
const MAX_DEPTH: usize = 10;

/// Number of subscribers around a request's write.
#[derive(Debug, Clone, Copy)]
struct EventDepth(usize);

/// Subscriber that runs inside the transaction of a write.
pub(crate) struct OnChange(Box<Subscriber>);

type Subscriber = dyn Fn(Context, &RowChange) -> BoxFuture<'static, Result<()>> + Send + Sync;

impl OnChange {
    pub(crate) fn new<M, F, Fut>(subscriber: F) -> Self
    where
        M: Model,
        F: Fn(Context, Change<M>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        Self(Box::new(move |cx, change| match change.of_model() {
            Ok(change) => Box::pin(subscriber(cx, change)),
            Err(mismatch) => Box::pin(std::future::ready(Err(unreadable::<M>(&mismatch)))),
        }))
    }
}

/// Returns a subscriber that runs when a write is committed. Its errors and panics are logged.
pub(crate) fn after_change<M, F, Fut>(subscriber: F) -> AfterChange
where
    M: Model,
    F: Fn(ApiHandle, Change<M>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<()>> + Send + 'static,
{
    let subscriber = Arc::new(subscriber);
    Arc::new(move |api, change| {
        let subscriber = Arc::clone(&subscriber);
        let heard = async move {
            let change = change.of_model().map_err(|mismatch| unreadable::<M>(&mismatch))?;
            subscriber(api, change).await
        };
        Box::pin(async move {
            let model = M::table().model;
            match AssertUnwindSafe(heard).catch_unwind().await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!(model, cause = %error, "a subscriber of changes failed"),
                Err(_) => tracing::error!(model, "a subscriber of changes panicked"),
            }
        })
    })
}

fn unreadable<M: Model>(mismatch: &impl std::fmt::Display) -> Error {
    Error::internal(format!(
        "a written row is not a valid {}: {mismatch}",
        M::table().model
    ))
}

/// Changes of one write, in the order of its statements.
#[derive(Default)]
pub(crate) struct ChangeLog(Vec<RowChange>);

impl ChangeLog {
    /// Adds a new row. `None` if nobody hears of it.
    pub(crate) fn created(&mut self, table: &'static Table, row: Option<Record>) {
        let change = row.map(Change::Created);
        self.0.extend(change.map(|change| RowChange { table, change }));
    }

    /// Adds an update, unless it has changed nothing or nobody hears of it.
    pub(crate) fn updated(&mut self, table: &'static Table, before: Option<&Record>, after: Option<Record>) {
        if let (Some(before), Some(after)) = (before, after)
            && *before != after
        {
            let before = before.clone();
            let change = Change::Updated { before, after };
            self.0.push(RowChange { table, change });
        }
    }

    /// Adds a deleted row.
    pub(crate) fn deleted(&mut self, table: &'static Table, row: Record) {
        let change = Change::Deleted(row);
        self.0.push(RowChange { table, change });
    }
}

/// Circumstances of a write that subscribers hear of. It may outlive the call of the write.
#[derive(Clone)]
pub(crate) struct EventScope(Arc<EventScopeInner>);

struct EventScopeInner {
    services: Arc<ApiState>,
    /// Request of the write, if subscribers run inside its transaction.
    request: Option<Context>,
    sink: CommitSink,
}

/// Events of a write inside its transaction, to be delivered when that is committed.
pub(crate) struct RaisedEvents {
    scope: EventScope,
    changes: ChangeLog,
    /// Work that the subscribers inside the transaction have left for its commit.
    left: Option<Arc<CommitQueue>>,
}

impl Context {
    /// Scope of a write to these tables; `None` if no subscriber hears of them.
    pub(crate) fn event_scope(
        &self,
        mut tables: impl Iterator<Item = &'static Table> + Clone,
    ) -> Option<EventScope> {
        let subscribers = &self.services().subscribers;
        if !tables.clone().any(|table| subscribers.watch(table)) {
            return None;
        }
        let has_inside = |table| subscribers.of(table).is_some_and(|own| !own.inside.is_empty());
        let request = tables.any(has_inside).then(|| self.event_request());
        Some(EventScope(Arc::new(EventScopeInner {
            services: Arc::clone(self.services()),
            request,
            sink: self.commit_sink(),
        })))
    }

    /// Whether subscribers hear of the writes of a table.
    pub(crate) fn is_watched(&self, table: &'static Table) -> bool {
        self.services().subscribers.watch(table)
    }
}

impl EventScope {
    /// Whether the write needs a transaction for its subscribers.
    pub(crate) fn is_transactional(&self) -> bool {
        self.0.request.is_some()
    }

    /// Whether subscribers hear of the writes of a table.
    pub(crate) fn watches(&self, table: &'static Table) -> bool {
        self.0.services.subscribers.watch(table)
    }

    /// Runs the subscribers inside the transaction of a write. The first error ends the write.
    pub(crate) async fn raise(&self, store: &Store, changes: ChangeLog) -> Result<RaisedEvents> {
        let left = match &self.0.request {
            Some(request) if !changes.0.is_empty() => Some(self.run_inside(request, store, &changes).await?),
            _ => None,
        };
        Ok(RaisedEvents {
            scope: self.clone(),
            changes,
            left,
        })
    }

    async fn run_inside(
        &self,
        request: &Context,
        store: &Store,
        changes: &ChangeLog,
    ) -> Result<Arc<CommitQueue>> {
        let depth = request.extension::<EventDepth>().map_or(0, |depth| depth.0) + 1;
        let left = Arc::new(CommitQueue::default());
        for change in &changes.0 {
            let Some(subscribers) = self.0.services.subscribers.of(change.table) else {
                continue;
            };
            let inside = subscribers.inside.iter();
            for OnChange(subscriber) in inside.filter_map(|subscriber| subscriber.downcast_ref()) {
                if depth > MAX_DEPTH {
                    return Err(Error::internal(format!(
                        "the subscribers of {} cause each other's writes without an end: write only if the change needs it",
                        change.table.model
                    )));
                }
                let (mut cx, begun) = request.inside_event(store.clone(), Arc::clone(&left));
                cx.insert_extension(EventDepth(depth));
                subscriber(cx, change).await?;
                if begun.is_begun() {
                    return Err(Error::internal(
                        "a subscriber began a transaction and did not commit it",
                    ));
                }
            }
        }
        Ok(left)
    }
}

impl RaisedEvents {
    /// Lets the subscribers run that wait for the commit, now that it has succeeded.
    pub(crate) fn deliver(self) {
        let EventScopeInner { services, sink, .. } = &*self.scope.0;
        let mut work: Vec<CommitWork> = Vec::new();
        for change in self.changes.0 {
            let subscribers = services.subscribers.of(change.table);
            for subscriber in subscribers.into_iter().flat_map(|own| &own.after) {
                let (subscriber, change) = (Arc::clone(subscriber), change.clone());
                let api = services.handle.clone();
                work.push(Box::pin(async move { subscriber(api, change).await }));
            }
        }
        if let Some(left) = self.left {
            work.append(&mut left.take());
        }
        sink.push_committed(work);
    }
}
