//! Bulk writes at a URL: reads the items of a request.

use std::sync::Arc;

use http::HeaderValue;
use model_resource_schema::json::url_text;

use crate::bulk::body;
use crate::bulk::body::{BulkBody, BulkItem};
use crate::bulk::bulk_url::{Bulk, BulkTarget, ItemRequest};
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
            cx,
        };
        let reply = Arc::new(request).write(targets).await?;
        Ok(match max_affected {
            Some(max) => with_max_affected(reply, max),
            None => reply,
        })
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
            Ok(ItemRequest { key, body, version })
        };
        let target = |item: BulkItem| BulkTarget {
            position: item.position,
            request: item.object.and_then(request),
        };
        items.into_iter().map(target).collect()
    }
}

/// Reports the preference that was applied.
fn with_max_affected(mut reply: Reply, max: usize) -> Reply {
    if let Ok(value) = HeaderValue::try_from(format!("max-affected={max}")) {
        reply.headers_mut().append(PREFERENCE_APPLIED, value);
    }
    reply
}
