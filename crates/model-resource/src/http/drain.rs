//! Drains request bodies that no handler reads to the end.
//!
//! Most clients read no response before they have sent everything, and closing the connection before that resets it.
//! Without draining they would never learn why a large request was rejected.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{Request, header};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::runtime::Handle;

/// Maximum bytes that are drained.
const MAX_DRAINED: usize = 64 * 1024 * 1024;
/// Timeout for a client to send them.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Body whose rest is drained when it is dropped.
pub(super) struct DrainOnDrop(Option<Body>);

impl DrainOnDrop {
    /// Wraps the body of a request, unless it is empty or the client waits for permission to send it (`Expect`).
    pub(super) fn around(request: Request<Body>) -> Request<Body> {
        if request.body().is_end_stream() || request.headers().contains_key(header::EXPECT) {
            return request;
        }
        request.map(|body| Body::new(Self(Some(body))))
    }
}

impl HttpBody for DrainOnDrop {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(body).poll_frame(cx);
        if let Poll::Ready(None | Some(Err(_))) = polled {
            self.0 = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for DrainOnDrop {
    fn drop(&mut self) {
        let rest = self.0.take().filter(|body| !body.is_end_stream());
        if let (Some(rest), Ok(runtime)) = (rest, Handle::try_current()) {
            runtime.spawn(tokio::time::timeout(DRAIN_TIMEOUT, discard(rest)));
        }
    }
}

async fn discard(mut body: Body) {
    let mut left = MAX_DRAINED;
    while let Some(Ok(frame)) = body.frame().await {
        let read = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(read) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
