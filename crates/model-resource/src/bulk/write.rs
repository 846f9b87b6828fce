//! Bulk writes at a URL: reads the items of a request.

use std::sync::Arc;

use http::HeaderValue;
use model_resource_schema::json::url_text;
use model_resource_schema::naming::Quoted;

use crate::bulk::body;
use crate::bulk::body::{BulkBody, BulkItem};
use crate::bulk::bulk_url::{Bulk, BulkTarget, ItemRequest};
use crate::bulk::filter::{foreign_parameters, not_one_object, nothing_selected, require_object};
use crate::bulk::transaction::BulkRequest;
use crate::conditional::Preconditions;
use crate::handle::{PREFERENCE_APPLIED, Reply, max_affected};
use crate::pipeline::{Chain, Context, Error, Result};
use crate::query::read_keys;
use crate::routing::Operation;

impl Bulk {
    /// Runs an operation for each item of the request. A request for a single object is handled as usual.
    pub(crate) async fn run(
        self: &Arc<Self>,
        operation: Operation,
        chain: &Arc<Chain>,
        mut cx: Context,
    ) -> Result<Reply> {
        let max = self.options.max_items;
        let Some(items) = self.items(operation, chain, &mut cx).await? else {
            return chain.run(cx).await;
        };
        let (targets, filtered) = match items {
            Items::Named(targets) => (targets, None),
            Items::Filtered(body) => {
                let filtered = self.select(chain, &cx).await?;
                let column = &self.options.update.table().columns[self.key_column()];
                (filtered.targets(&body, column), Some(filtered))
            }
        };
        match targets.len() {
            0 if filtered.is_none() => {
                return Err(Error::malformed(
                    "There is no object in the request; send at least one.",
                ));
            }
            count if count > max => {
                return Err(Error::malformed(format!(
                    "The request is about more than {max} objects; send at most {max} at once."
                )));
            }
            _ if Preconditions::has_header(cx.headers()) => {
                return Err(Error::malformed(
                    "The headers If-Match and If-None-Match are about one object: send the version of each as its member \"version\".",
                ));
            }
            _ => {}
        }
        let max_affected = max_affected(cx.headers());
        if let Some(max) = max_affected.filter(|max| targets.len() > *max) {
            return Err(Error::malformed(format!(
                "The request is about {} objects, more than the {max} of its preference max-affected.",
                targets.len()
            )));
        }
        let request = BulkRequest {
            bulk: Arc::clone(self),
            operation,
            chain: Arc::clone(chain),
            filtered,
            cx,
        };
        let reply = if targets.is_empty() {
            nothing_selected(operation, self.options.update.table(), &request.cx)
        } else {
            Arc::new(request).write(targets).await?
        };
        Ok(match max_affected {
            Some(max) => with_max_affected(reply, max),
            None => reply,
        })
    }

    /// Items of a request; `None` if it is about a single new object.
    async fn items(&self, operation: Operation, chain: &Chain, cx: &mut Context) -> Result<Option<Items>> {
        if operation == Operation::Delete {
            return self.items_of_deletion(chain, cx).map(Some);
        }
        let options = &self.options;
        let (by_key, by_filter) = (
            options.operations.contains(operation),
            options.filtered.contains(operation),
        );
        // One more than allowed, to detect that there are too many.
        let max = options.max_items.saturating_add(1);
        match body::read(cx, options.plan(operation), max).await? {
            BulkBody::Many(items) if by_key => {
                if by_filter {
                    refuse_filters(chain, cx)?;
                }
                Ok(Some(Items::Named(self.items_from_body(operation, items))))
            }
            BulkBody::Other(body) if operation == Operation::Create => {
                cx.put_body_text(body);
                Ok(None)
            }
            BulkBody::Other(body) if by_filter => {
                require_object(&body)?;
                Ok(Some(Items::Filtered(body)))
            }
            BulkBody::Many(_) => Err(not_one_object()),
            BulkBody::Other(_) => Err(Error::malformed(options.plan(operation).expected_objects())),
        }
    }

    /// Items of a request without a body: those that the query names by their keys, or that its filters select.
    fn items_of_deletion(&self, chain: &Chain, cx: &Context) -> Result<Items> {
        let key = self.options.update.table().columns[self.key_column()].wire_name();
        let is_named = || {
            let foreign: Vec<&str> = foreign_parameters(chain).collect();
            let mut names = cx.query_string().pairs().iter().map(|(name, _)| name.as_str());
            names.all(|name| name == key || foreign.contains(&name)) && cx.query(&key).is_some()
        };
        let (by_key, by_filter) = (&self.options.operations, &self.options.filtered);
        if !by_filter.contains(Operation::Delete) || by_key.contains(Operation::Delete) && is_named() {
            return self.items_from_query(chain, cx).map(Items::Named);
        }
        Ok(Items::Filtered(String::new()))
    }

    /// Items that the query names.
    fn items_from_query(&self, chain: &Chain, cx: &Context) -> Result<Vec<BulkTarget>> {
        let table = self.options.update.table();
        let key = table.columns[self.key_column()].wire_name();
        let foreign: Vec<&str> = foreign_parameters(chain).collect();
        let keys = read_keys(cx.query_string(), &key, &foreign)?;
        let target = |(position, key)| BulkTarget {
            position,
            request: Ok(ItemRequest {
                key: Some(key),
                ..ItemRequest::default()
            }),
        };
        Ok(keys.into_iter().enumerate().map(target).collect())
    }

    /// Items of a body.
    fn items_from_body(&self, operation: Operation, items: Vec<BulkItem>) -> Vec<BulkTarget> {
        let serializer = self.options.plan(operation);
        let request = |mut object: String| {
            let (mut key, mut version) = (None, None);
            if operation != Operation::Create {
                key = Some(url_text(serializer.key_of(self.key_column(), &object)?.borrow()));
                if let Some((own, others)) = serializer.version_of(&object)? {
                    (version, object) = (Some(own), others);
                }
            }
            let body = serializer.alone(&object);
            Ok(ItemRequest {
                key,
                body: body.into(),
                version,
            })
        };
        let target = |item: BulkItem| BulkTarget {
            position: item.position,
            request: item.object.and_then(request),
        };
        items.into_iter().map(target).collect()
    }
}

/// Items of a request.
enum Items {
    /// Objects that the request names.
    Named(Vec<BulkTarget>),
    /// Objects that its filters select, and the body for each.
    Filtered(String),
}

/// Rejects parameters of a request whose objects are named by their keys, where they would be filters of another one.
fn refuse_filters(chain: &Chain, cx: &Context) -> Result<()> {
    let foreign: Vec<&str> = foreign_parameters(chain).collect();
    let mut names = cx.query_string().pairs().iter().map(|(name, _)| name.as_str());
    match names.find(|name| !foreign.contains(name)) {
        Some(name) => Err(Error::bad_parameter(format!(
            "The parameter {} selects nothing here: the body names its objects by their keys. Leave it out, or send one object.",
            Quoted(name)
        ))),
        None => Ok(()),
    }
}

/// Reports the preference that was applied.
fn with_max_affected(mut reply: Reply, max: usize) -> Reply {
    if let Ok(value) = HeaderValue::try_from(format!("max-affected={max}")) {
        reply.headers_mut().append(PREFERENCE_APPLIED, value);
    }
    reply
}
