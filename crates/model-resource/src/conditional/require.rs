//! Writes that need a precondition.

use std::future::ready;

use futures_util::future::BoxFuture;
use http::{StatusCode, header};
use model_resource_schema::serializer::ObjectVersion;

use crate::handle::Reply;
use crate::pipeline::{Context, Decorator, Error, Next, Result};

/// Name of the decorator in route lists.
pub(crate) const REQUIRE_IF_MATCH: &str = "require_if_match";

/// Rejects a request without `If-Match`, for resources with `REQUIRE_IF_MATCH`.
pub(crate) struct RequireIfMatch;

impl Decorator for RequireIfMatch {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        if cx.headers().contains_key(header::IF_MATCH) || cx.extension::<ObjectVersion>().is_some() {
            return next.run(cx);
        }
        let message = "Send the ETag of the object that you have read: in the header If-Match, or as the member \"version\" \
                       of each of several objects.";
        let status = StatusCode::PRECONDITION_REQUIRED;
        Box::pin(ready(Err(Error::named("PreconditionRequired", status, message))))
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        REQUIRE_IF_MATCH
    }
}
