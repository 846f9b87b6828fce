//! Responses to HEAD, which have the headers of GET and no body.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

/// An empty body that reports the size of the one it replaces, from which servers write `Content-Length`.
struct EmptyHeadBody(SizeHint);

/// Removes the body of a response and keeps its headers.
pub(super) fn without_body(response: Response) -> Response {
    response.map(|body| Body::new(EmptyHeadBody(body.size_hint())))
}

impl HttpBody for EmptyHeadBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Poll::Ready(None)
    }

    fn size_hint(&self) -> SizeHint {
        self.0
    }
}
