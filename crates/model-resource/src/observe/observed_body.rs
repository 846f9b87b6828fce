//! Body of unknown length, whose bytes are counted.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use crate::observe::observation::Observation;

/// Body that ends an observation when it is dropped.
struct ObservedBody {
    body: Body,
    observation: Observation,
}

impl Observation {
    /// Ends with a response, or with the end of its body if its length is unknown.
    pub(crate) fn finish(mut self, response: Response) -> Response {
        self.set_status(response.status().as_u16());
        match response.body().size_hint().exact() {
            Some(bytes) => {
                self.add_bytes(bytes);
                response
            }
            None => response.map(|body| {
                Body::new(ObservedBody {
                    body,
                    observation: self,
                })
            }),
        }
    }
}

impl HttpBody for ObservedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            self.observation.add_bytes(bytes as u64);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
