//! Bulk writes: item by item, all of them or none.

use std::sync::Arc;

use http::{Method, Uri};
use model_resource_schema::errors::Errors;
use model_resource_schema::json::url_text;
use model_resource_schema::value::Value;
use model_resource_store::{StoreError, Transaction};

use crate::bulk::body;
use crate::bulk::body::{BulkBody, BulkItem};
use crate::bulk::options::BulkOptions;
use crate::bulk::outcome::{BulkErrors, merge_replies, require_success};
use crate::bulk::run::{ItemRun, check_waiting};
use crate::handle::Reply;
use crate::pipeline::{Chain, Context, Error, MAX_ATTEMPTS, Result, SubRequest, pause_before};
use crate::query::read_keys;
use crate::routing::{Operation, Rule, UrlBinding};

/// Bulk writes at a collection URL.
pub(crate) struct Bulk {
    pub(crate) options: Arc<BulkOptions>,
    /// URL of one object; without it only new objects are written.
    pub(crate) item: Option<BulkItemUrl>,
}

/// URL that each item is written at.
pub(crate) struct BulkItemUrl {
    pub(crate) rule: Rule,
    pub(crate) binding: Arc<UrlBinding>,
    /// Column that identifies an object in the URL, the body and the query.
    pub(crate) column: usize,
}

/// Item that is to be written.
#[derive(Clone)]
struct BulkTarget {
    position: usize,
    /// Key, unless the object is new, and body; or the item's errors.
    request: Result<(Option<String>, String), Errors>,
}

impl Bulk {
    /// Bulk operation of a method, if it is allowed here.
    pub(crate) fn operation(&self, method: &Method) -> Option<Operation> {
        let operation = self.options.operation(method)?;
        (operation == Operation::Create || self.item.is_some()).then_some(operation)
    }

    /// Runs an operation for each item of the request. A request for a single object is handled as usual.
    pub(crate) async fn run(
        &self,
        operation: Operation,
        chain: &Arc<Chain>,
        mut cx: Context,
    ) -> Result<Reply> {
        let max = self.options.max_items;
        let targets = match operation {
            Operation::Delete => self.items_from_query(chain, &cx)?,
            // One more than allowed, to detect that there are too many.
            _ => match body::read(&mut cx, self.options.plan(operation), max.saturating_add(1)).await? {
                BulkBody::Many(items) => self.items_from_body(operation, items),
                BulkBody::Other(body) if operation == Operation::Create => {
                    cx.put_body_text(body);
                    return chain.run(cx).await;
                }
                BulkBody::Other(_) => {
                    return Err(Error::malformed(self.options.plan(operation).expected_objects()));
                }
            },
        };
        match targets.len() {
            0 => {
                return Err(Error::malformed(
                    "There is no object in the request; send at least one.",
                ));
            }
            count if count > max => {
                return Err(Error::malformed(format!(
                    "The request is about more than {max} objects; send at most {max} at once."
                )));
            }
            _ => {}
        }
        self.write(operation, chain, &cx, targets).await
    }

    /// Column that identifies an object.
    pub(crate) fn key_column(&self) -> usize {
        let item = self.item.as_ref();
        item.map_or(self.options.update.table().primary_key, |item| item.column)
    }

    /// Items that the query names.
    fn items_from_query(&self, chain: &Chain, cx: &Context) -> Result<Vec<BulkTarget>> {
        let table = self.options.update.table();
        let key = table.columns[self.key_column()].wire_name();
        let foreign = chain
            .decorators
            .iter()
            .flat_map(|decorator| decorator.query_parameters());
        let keys = read_keys(cx.query_string(), &key, &foreign.collect::<Vec<_>>())?;
        let target = |(position, key)| BulkTarget {
            position,
            request: Ok((Some(key), String::new())),
        };
        Ok(keys.into_iter().enumerate().map(target).collect())
    }

    /// Items of a body.
    fn items_from_body(&self, operation: Operation, items: Vec<BulkItem>) -> Vec<BulkTarget> {
        let serializer = self.options.plan(operation);
        let request = |object: String| {
            let key = match operation {
                Operation::Create => None,
                _ => Some(url_text(serializer.key_of(self.key_column(), &object)?.borrow())),
            };
            Ok((key, serializer.alone(&object)))
        };
        let target = |item: BulkItem| BulkTarget {
            position: item.position,
            request: item.object.and_then(request),
        };
        items.into_iter().map(target).collect()
    }

    /// Writes all items in one transaction. It is repeated if the database undoes it because of a concurrent one, as
    /// with new rows whose unique values two requests write in opposite orders.
    ///
    /// A custom handler runs once, because it may have other effects than its writes.
    async fn write(
        &self,
        operation: Operation,
        chain: &Arc<Chain>,
        cx: &Context,
        targets: Vec<BulkTarget>,
    ) -> Result<Reply> {
        let is_repeatable = chain.is_automatic && cx.store().dialect().has_concurrent_transactions();
        let max_attempts = if is_repeatable { MAX_ATTEMPTS } else { 1 };
        let mut attempt = 1;
        while attempt < max_attempts {
            let written = self.write_once(operation, chain, cx, targets.clone(), attempt);
            match written.await {
                Err(error) if error.is_aborted() => pause_before(attempt).await,
                written => return written,
            }
            attempt += 1;
        }
        self.write_once(operation, chain, cx, targets, attempt).await
    }

    async fn write_once(
        &self,
        operation: Operation,
        chain: &Arc<Chain>,
        cx: &Context,
        targets: Vec<BulkTarget>,
        attempt: u32,
    ) -> Result<Reply> {
        let serializer = self.options.plan(operation);
        let transaction = cx.store().begin_for(serializer.table()).await?;
        let has_checks = operation != Operation::Delete && !serializer.batch_checks().is_empty();
        // Transactions that are repeated take turns.
        if has_checks || attempt > 1 {
            // Before any row is locked, because a single write takes this lock before that of its row.
            transaction.lock_checks(serializer.table()).await?;
        }
        self.lock(operation, cx, &targets, &transaction).await?;
        let mut runs = Vec::with_capacity(targets.len());
        let mut errors = BulkErrors::default();
        for BulkTarget { position, request } in targets {
            let request = request.map_err(Error::invalid);
            let sub_request = request.and_then(|(key, body)| self.sub_request(operation, cx, key, body));
            let run = match sub_request {
                Ok(sub_request) => start(chain, cx, sub_request, &transaction).await,
                Err(error) => ItemRun::Ended(Err(error)),
            };
            match run {
                ItemRun::Ended(Err(error)) => errors.add(position, error)?,
                run => runs.push((position, run)),
            }
            if errors.is_full() {
                break;
            }
        }
        let mut replies = Vec::with_capacity(runs.len());
        for (position, run) in check_waiting(runs, &transaction, cx.caller()).await? {
            match run.finish().await {
                Ok(reply) => replies.push(reply),
                Err(error) => errors.add(position, error)?,
            }
            if errors.is_full() {
                break;
            }
        }
        match errors.into_error() {
            Some(error) => {
                transaction.rollback().await?;
                Err(error)
            }
            None => {
                transaction.commit().await?;
                merge_replies(replies, cx).await
            }
        }
    }

    /// Locks the rows of the items in the order of their keys, so that requests for the same rows in other orders wait
    /// and do not deadlock. An invalid key is reported when its item is written.
    async fn lock(
        &self,
        operation: Operation,
        cx: &Context,
        targets: &[BulkTarget],
        transaction: &Transaction,
    ) -> Result<()> {
        let Some(item) = &self.item else {
            return Ok(());
        };
        if targets.len() <= 1 {
            return Ok(());
        }
        let table = self.options.update.table();
        let column = &table.columns[item.column];
        let value = |target: &BulkTarget| {
            let (key, _) = target.request.as_ref().ok()?;
            let value = column.data_type.parse(key.as_deref()?).ok()?;
            Some(column.normalize(value))
        };
        let values: Vec<Value> = targets.iter().filter_map(value).collect();
        let access = cx.access(table);
        let rows = access.permitted_for(operation);
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
    fn sub_request(
        &self,
        operation: Operation,
        cx: &Context,
        key: Option<String>,
        body: String,
    ) -> Result<SubRequest> {
        let (uri, params, binding) = match (key, &self.item) {
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
            operation,
            uri,
            params,
            binding,
            body,
        })
    }
}

/// Starts the operation on one item. It runs to its end, or until its batch has to be checked.
async fn start(
    chain: &Arc<Chain>,
    cx: &Context,
    sub_request: SubRequest,
    transaction: &Transaction,
) -> ItemRun {
    let (sub_request, uncommitted, arrival) = cx.sub_request(sub_request, (**transaction).clone());
    let operation = chain.run(sub_request);
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
