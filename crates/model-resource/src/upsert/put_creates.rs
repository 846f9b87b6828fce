//! PUT of an object that does not exist, which creates it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{HeaderValue, StatusCode, header};

use crate::handle::Reply;
use crate::pipeline::{Chain, Context, Decorator, Error, ErrorKind, Next, Result};
use crate::upsert::{MAX_ATTEMPTS, is_duplicate};

/// Name of the decorator.
pub(crate) const PUT_CREATES: &str = "put_creates";

/// Creates the object of the URL if put does not find it, for resources with `PUT_CREATES`.
pub(crate) struct PutCreates {
    /// Chain of create.
    pub(crate) create: Arc<Chain>,
}

impl Decorator for PutCreates {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        // One of several objects is only changed.
        if !cx.is_outside_transaction() {
            return next.run(cx);
        }
        Box::pin(put_or_create(cx, next, Arc::clone(&self.create)))
    }

    fn is_transactional(&self) -> bool {
        // A repeated creation finds the object and may write nothing, so that its commit would not recognize it.
        false
    }

    fn name(&self) -> &'static str {
        PUT_CREATES
    }
}

async fn put_or_create(cx: Context, next: Next, create: Arc<Chain>) -> Result<Reply> {
    let body = cx.body().await?;
    let mut attempt = 1;
    loop {
        match next.again().run(cx.repeat(body.clone())).await {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound) => {}
            put => return put,
        }
        if cx.headers().contains_key(header::IF_MATCH) {
            let message = "The precondition of If-Match does not hold: the object does not exist.";
            let status = StatusCode::PRECONDITION_FAILED;
            return Err(Error::named("PreconditionFailed", status, message));
        }
        match create.run(cx.creation(body.clone())).await {
            // A concurrent request may have created it, or the caller cannot see it.
            Err(error) if is_duplicate(&error) && attempt < MAX_ATTEMPTS => {}
            created => return Ok(located(created?, &cx)),
        }
        attempt += 1;
    }
}

/// Adds the URL of the new object, which is that of the request.
fn located(reply: Reply, cx: &Context) -> Reply {
    let url = HeaderValue::try_from(cx.external_url(cx.uri().path().to_owned()));
    match url {
        Ok(url) if reply.status() == StatusCode::CREATED => reply.with_header(header::LOCATION, url),
        _ => reply,
    }
}
