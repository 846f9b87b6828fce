//! Response bodies that were made in memory, counted until they are sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
#[cfg(feature = "compression")]
use http::Extensions;
use http::{HeaderValue, StatusCode, header};
use http_body::{Body as HttpBody, Frame, SizeHint};

use crate::http::memory::{MemoryBudget, Reservation, SMALL};

const UNAVAILABLE: &str = r#"{"message":"The service is not available; try again shortly."}"#;

/// Response extension: the body is counted already.
#[derive(Clone)]
struct Counted;

/// Effect of a request, which decides whether its response can be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// None: the request can be repeated.
    Read,
    /// A change, of which the client must learn.
    Write,
}

/// Body whose bytes are counted.
struct CountedBody {
    body: Body,
    reservation: Option<Reservation>,
}

/// Marks a response whose body is counted.
pub(crate) fn counted(mut response: Response) -> Response {
    if response.body().size_hint().lower() >= SMALL as u64 {
        response.extensions_mut().insert(Counted);
    }
    response
}

/// Counts the body of a response, unless it is small or counted. Without memory for it the response to a read becomes a
/// 503, so that it is not held for a client that may be slow.
pub(crate) fn count_body(response: Response, memory: &MemoryBudget, effect: Effect) -> Response {
    let size = response.body().size_hint().exact().unwrap_or(0);
    let Some(size) = usize::try_from(size).ok().filter(|size| *size >= SMALL) else {
        return response;
    };
    if response.extensions().get::<Counted>().is_some() {
        return response;
    }
    let mut reservation = Reservation::of(Some(memory.clone()));
    if !reservation.grow(size) {
        // A body that can never fit is the choice of the application.
        if effect == Effect::Read && size <= memory.limit(size) {
            memory.refuse();
            return unavailable(response);
        }
        reservation.settle(size);
    }
    response.map(|body| {
        Body::new(CountedBody {
            body,
            reservation: Some(reservation),
        })
    })
}

/// Counts a body that is in memory and will be compressed while it is sent. Returns it as it was without memory for it.
#[cfg(feature = "compression")]
pub(super) fn count_uncompressed(body: Body, extensions: &Extensions) -> Result<Body, Body> {
    let size = body.size_hint().exact().unwrap_or(0);
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if size < SMALL || extensions.get::<Counted>().is_some() {
        return Ok(body);
    }
    let mut reservation = Reservation::of(MemoryBudget::current());
    if !reservation.grow(size) {
        return Err(body);
    }
    Ok(Body::new(CountedBody {
        body,
        reservation: Some(reservation),
    }))
}

/// Has a body that replaces another one counted anew.
#[cfg(feature = "compression")]
pub(super) fn uncounted(extensions: &mut Extensions) {
    extensions.remove::<Counted>();
}

/// Replaces a response by a 503, with its request id and CORS headers.
fn unavailable(response: Response) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.status = StatusCode::SERVICE_UNAVAILABLE;
    for name in [
        header::CONTENT_DISPOSITION,
        header::CONTENT_ENCODING,
        header::CONTENT_LENGTH,
        header::ETAG,
        header::LAST_MODIFIED,
        header::LINK,
    ] {
        parts.headers.remove(name);
    }
    for (name, value) in [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-store"),
        (header::RETRY_AFTER, "1"),
    ] {
        parts.headers.insert(name, HeaderValue::from_static(value));
    }
    Response::from_parts(parts, Body::from(UNAVAILABLE))
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        polled.map_ok(|frame| frame.map_data(|bytes| self.held(bytes)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl CountedBody {
    /// Bytes with the reservation. A body in memory is one frame.
    fn held(&mut self, bytes: Bytes) -> Bytes {
        match self.reservation.take() {
            Some(reservation) => {
                let size = bytes.len();
                reservation.hold(bytes, size, None)
            }
            None => bytes,
        }
    }
}
