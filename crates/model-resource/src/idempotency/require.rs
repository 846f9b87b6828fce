//! Writes that need a key.

use std::future::ready;

use futures_util::future::BoxFuture;

use crate::handle::Reply;
use crate::idempotency::key::IDEMPOTENCY_KEY;
use crate::pipeline::{Context, Decorator, Error, ErrorKind, Next, Result};

/// Name of the decorator in route lists.
pub(crate) const REQUIRE_IDEMPOTENCY_KEY: &str = "require_idempotency_key";

/// Rejects a request without `Idempotency-Key`, for resources with `REQUIRE_IDEMPOTENCY_KEY`.
pub(crate) struct RequireIdempotencyKey;

impl Decorator for RequireIdempotencyKey {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        if cx.headers().contains_key(IDEMPOTENCY_KEY) {
            return next.run(cx);
        }
        let message =
            "Send the header Idempotency-Key with a new UUID, and the same one when you repeat the request.";
        let error = Error::new(ErrorKind::BadRequest(message.to_owned()));
        Box::pin(ready(Err(error)))
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        REQUIRE_IDEMPOTENCY_KEY
    }
}
