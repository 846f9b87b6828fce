//! The transaction of a bulk request: item by item, all of them or none.

use std::sync::Arc;

use http::Uri;
use model_resource_schema::column::References;
use model_resource_schema::value::Value;
use model_resource_store::{Store, StoreError, Transaction};
use tracing::Instrument as _;

use crate::bulk::bulk_url::{Bulk, BulkTarget, ItemRequest};
use crate::bulk::filter::{Filtered, nothing_selected};
use crate::bulk::outcome::{BulkErrors, merge_replies, require_success};
use crate::bulk::run::{ItemRun, check_loaded};
use crate::handle::Reply;
use crate::pipeline::{
    Chain, CommitQueue, Context, Error, ErrorKind, ItemStart, MAX_ATTEMPTS, Result, SubRequest, pause_before,
};
use crate::routing::Operation;

/// A bulk request whose items are known.
pub(super) struct BulkRequest {
    pub(super) bulk: Arc<Bulk>,
    pub(super) operation: Operation,
    pub(super) chain: Arc<Chain>,
    /// Filter that has selected the items, if there is one.
    pub(super) filtered: Option<Filtered>,
    pub(super) cx: Context,
}

/// Circumstances of all items of one attempt.
struct ItemScope {
    store: Store,
    start: ItemStart,
    /// Work that waits for the commit.
    queue: Arc<CommitQueue>,
}

/// Items whose operations have begun.
struct StartedItems {
    runs: Vec<(usize, ItemRun)>,
    errors: BulkErrors,
}

impl BulkRequest {
    /// Writes all items in one transaction. It is repeated if the database undoes it because of a concurrent one, as
    /// with new rows whose unique values two requests write in opposite orders.
    ///
    /// A custom handler runs once, because it may have other effects than its writes.
    pub(super) async fn write(self: &Arc<Self>, targets: Vec<BulkTarget>) -> Result<Reply> {
        let has_concurrent = self.cx.store_unchecked().dialect().has_concurrent_transactions();
        let is_repeatable = self.chain.is_automatic && has_concurrent;
        let max_attempts = if is_repeatable { MAX_ATTEMPTS } else { 1 };
        let mut attempt = 1;
        while attempt < max_attempts {
            match self.write_once(targets.clone(), attempt).await {
                // A transaction around this one is aborted, too.
                Err(error) if error.is_aborted() && !self.cx.store_unchecked().is_in_transaction() => {
                    pause_before(attempt).await;
                }
                written => return written,
            }
            attempt += 1;
        }
        self.write_once(targets, attempt).await
    }

    async fn write_once(self: &Arc<Self>, mut targets: Vec<BulkTarget>, attempt: u32) -> Result<Reply> {
        let queue = Arc::new(CommitQueue::default());
        let (transaction, written) = if self.loads_before_transaction() {
            let scope = ItemScope {
                store: self.cx.store_unchecked().clone(),
                start: ItemStart::BeforeTransaction,
                queue: Arc::clone(&queue),
            };
            let loaded = self.start_items(targets, &scope).await?;
            let transaction = self.begin(attempt).await?;
            let store = Store::clone(&transaction);
            let items = Arc::clone(self).write_items(loaded, store);
            let written = transaction.run(items.in_current_span()).await?;
            (transaction, written)
        } else {
            let transaction = self.begin(attempt).await?;
            self.lock(&targets, &transaction).await?;
            if let Some(filtered) = &self.filtered {
                let selected = self.bulk.still_selected(filtered, &transaction).await?;
                filtered.keep(&mut targets, &selected);
            }
            let request = Arc::clone(self);
            let scope = ItemScope {
                store: Store::clone(&transaction),
                start: ItemStart::InTransaction,
                queue: Arc::clone(&queue),
            };
            let items = async move {
                let loaded = request.start_items(targets, &scope).await?;
                request.write_items(loaded, scope.store).await
            };
            let written = transaction.run(items.in_current_span()).await?;
            (transaction, written)
        };
        match written {
            Ok(runs) => {
                transaction.commit().await?;
                if let Some(outer) = self.cx.commit_queue() {
                    outer.append_committed(&queue);
                }
                if runs.is_empty() {
                    let table = self.bulk.options.update.table();
                    return Ok(nothing_selected(self.operation, table, &self.cx));
                }
                let mut replies = Vec::with_capacity(runs.len());
                for run in runs {
                    // As when items are loaded.
                    tokio::task::consume_budget().await;
                    replies.push(run.finish().await?);
                }
                merge_replies(replies, &self.cx).await
            }
            Err(error) => {
                if let ErrorKind::BulkRejected { .. } = error.kind() {
                    transaction.rollback().await?;
                }
                Err(error)
            }
        }
    }

    /// Whether new objects are loaded before the transaction begins, and their replies made after its end, so that others
    /// wait only while the rows are written.
    /// As for a single new object, a row that it references is then looked up outside of a transaction. That is not
    /// possible if objects of the request may reference each other, or if a decorator may look at those before.
    fn loads_before_transaction(&self) -> bool {
        let table = self.bulk.options.create.table();
        let is_own = |references: &References| (references.table)().name == table.name;
        let references_itself = table
            .columns
            .iter()
            .any(|column| column.references.as_ref().is_some_and(is_own));
        let decorators = &self.chain.decorators;
        self.operation == Operation::Create
            && self.chain.is_automatic
            && !references_itself
            && decorators.iter().all(|decorator| decorator.is_independent())
            && decorators
                .iter()
                .any(|decorator| decorator.loads(table).contains(Operation::Create))
    }

    async fn begin(&self, attempt: u32) -> Result<Transaction> {
        let serializer = self.bulk.options.plan(self.operation);
        let transaction = self.cx.store_unchecked().begin_for(serializer.table()).await?;
        let has_checks = self.operation != Operation::Delete && !serializer.batch_checks().is_empty();
        // Transactions that are repeated take turns.
        if has_checks || attempt > 1 {
            // Before any row is locked, because a single write takes this lock before that of its row.
            transaction.lock_checks(serializer.table()).await?;
        }
        Ok(transaction)
    }

    /// Runs each item to its end, or until its draft is handed over.
    async fn start_items(&self, targets: Vec<BulkTarget>, scope: &ItemScope) -> Result<StartedItems> {
        let mut started = StartedItems {
            runs: Vec::with_capacity(targets.len()),
            errors: BulkErrors::default(),
        };
        for BulkTarget { position, request } in targets {
            // Loading waits for nothing, so a long request would keep its thread from others.
            tokio::task::consume_budget().await;
            let request = request.map_err(Error::invalid);
            let sub_request = request.and_then(|request| self.sub_request(request));
            let run = match sub_request {
                Ok(sub_request) => self.start(sub_request, scope).await,
                Err(error) => ItemRun::Ended(Err(error)),
            };
            match run {
                ItemRun::Ended(Err(error)) => started.errors.add(position, error)?,
                run => started.runs.push((position, run)),
            }
            if started.errors.is_full() {
                break;
            }
        }
        Ok(started)
    }

    /// Writes the items, one after the other, in a store that is a transaction.
    async fn write_items(self: Arc<Self>, started: StartedItems, store: Store) -> Result<Vec<ItemRun>> {
        let StartedItems { runs, mut errors } = started;
        let mut written = Vec::with_capacity(runs.len());
        for (position, run) in check_loaded(runs, &store, &self.cx).await? {
            match run.write(&store).await {
                Ok(run) => written.push(run),
                Err(error) => errors.add(position, error)?,
            }
            if errors.is_full() {
                break;
            }
        }
        errors.into_error().map_or(Ok(written), Err)
    }

    /// Starts the operation on one item. It runs to its end, or until its draft is handed over.
    async fn start(&self, sub_request: SubRequest, scope: &ItemScope) -> ItemRun {
        let (store, start) = (scope.store.clone(), scope.start);
        let (mut sub_request, uncommitted, arrival) = self.cx.sub_request(sub_request, store, start);
        sub_request.set_commit_queue(Arc::clone(&scope.queue));
        let operation = self.chain.run(sub_request);
        let operation = async move {
            let reply = require_success(operation.await?)?;
            if uncommitted.is_begun() {
                Err(Error::internal(
                    "an operation on one of many objects began a transaction and did not commit it",
                ))
            } else {
                Ok(reply)
            }
        };
        ItemRun::start(Box::pin(operation), arrival).await
    }

    /// Locks the rows of the items in the order of their keys, so that requests for the same rows in other orders wait
    /// and do not deadlock. An invalid key is reported when its item is written.
    async fn lock(&self, targets: &[BulkTarget], transaction: &Transaction) -> Result<()> {
        let Some(item) = &self.bulk.item else {
            return Ok(());
        };
        // A row that a filter has selected must not change until it is written.
        if targets.len() <= 1 && self.filtered.is_none() {
            return Ok(());
        }
        let table = self.bulk.options.update.table();
        let column = &table.columns[item.column];
        let value = |target: &BulkTarget| {
            let request = target.request.as_ref().ok()?;
            let value = column.data_type.parse(request.key.as_deref()?).ok()?;
            Some(column.normalize(value))
        };
        let values: Vec<Value> = targets.iter().filter_map(value).collect();
        let access = self.cx.access(table);
        let rows = access.permitted_for(self.operation);
        let rows = rows.and_then(|rows| access.identified_by(item.column, rows));
        let Ok(rows) = rows else {
            return Ok(());
        };
        if values.is_empty() {
            return Ok(());
        }
        match transaction.lock_rows(&rows, item.column, values).await {
            Ok(()) | Err(StoreError::Invalid(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Builds the sub-request of one item.
    fn sub_request(&self, request: ItemRequest) -> Result<SubRequest> {
        let ItemRequest { key, body, version } = request;
        let cx = &self.cx;
        let (uri, params, binding) = match (key, &self.bulk.item) {
            (Some(key), Some(item)) => {
                let value = |name: &str| cx.params().get(name).unwrap_or(&key);
                let path = item.rule.build(|name| Some(value(name)));
                let path = path.map_err(|_| Error::not_found())?;
                let query = cx.uri().query().map(|query| format!("?{query}"));
                let uri = Uri::try_from(path + query.as_deref().unwrap_or_default());
                let values = item.rule.names().iter().map(|name| value(name).to_owned());
                let params = item.rule.params(values.collect());
                (
                    uri.map_err(|_| Error::not_found())?,
                    params,
                    Arc::clone(&item.binding),
                )
            }
            _ => (cx.uri().clone(), cx.params().clone(), cx.shared_binding()),
        };
        Ok(SubRequest {
            operation: self.operation,
            uri,
            params,
            binding,
            body: body.to_string(),
            version,
        })
    }
}
