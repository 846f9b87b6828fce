//! Reads the body of a request.

use std::sync::{MutexGuard, PoisonError};

use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use bytes::Bytes;
use http::header;
use http_body::Body as _;
use http_body_util::{BodyExt, Limited};

use crate::http::{Reservation, SMALL};
use crate::pipeline::context::content_coding::content_coding;
#[cfg(feature = "compression")]
use crate::pipeline::context::content_coding::decoded;
use crate::pipeline::context::extracted_body::ExtractedMemory;
use crate::pipeline::context::request::Context;
use crate::pipeline::context::request_body::{RequestBody, read_reserved};
use crate::pipeline::error::{Error, ErrorKind, Result};

impl Context {
    /// Reads the whole request body, up to the limit.
    pub async fn body(&self) -> Result<Bytes> {
        let limit = self.services().body_limit;
        let body = match self.take_body() {
            RequestBody::Stream(body) => body,
            RequestBody::Text(text) => return Ok(Bytes::from(text)),
            RequestBody::Read(body) => return Ok(body),
            RequestBody::Taken(_) => return Ok(Bytes::new()),
        };
        if body.size_hint().lower() > limit as u64 {
            return Err(Error::new(ErrorKind::TooLarge(limit)));
        }
        let coding = content_coding(self.headers())?;
        let body = self.read_body(body, limit).await?;
        match coding {
            #[cfg(feature = "compression")]
            Some(coding) if !body.is_empty() => {
                let (body, memory) = Box::pin(decoded(body, coding, limit)).await?;
                *self.lock_body() = RequestBody::Taken(memory);
                Ok(body)
            }
            _ => Ok(body),
        }
    }

    /// Reads a body as it was sent.
    async fn read_body(&self, body: Body, limit: usize) -> Result<Bytes> {
        if is_small(&body) {
            let ended_early = |_| Error::malformed("The request body ended early.");
            return Ok(body.collect().await.map_err(ended_early)?.to_bytes());
        }
        let (body, memory) = read_reserved(body, limit).await?;
        *self.lock_body() = RequestBody::Taken(memory);
        Ok(body)
    }

    /// Whether the request has a body that was not taken yet.
    pub(crate) fn has_body(&self) -> bool {
        match &*self.lock_body() {
            RequestBody::Stream(body) => !body.is_end_stream(),
            RequestBody::Text(text) => !text.is_empty(),
            RequestBody::Read(body) => !body.is_empty(),
            RequestBody::Taken(_) => false,
        }
    }

    /// Takes the text of a body that was read and put back.
    pub(crate) fn take_body_text(&self) -> Option<String> {
        let mut body = self.lock_body();
        match std::mem::replace(&mut *body, RequestBody::Taken(Reservation::default())) {
            RequestBody::Text(text) => Some(text),
            unread => {
                *body = unread;
                None
            }
        }
    }

    /// Puts back the text of a body, for the next reader.
    pub(crate) fn put_body_text(&mut self, text: String) {
        *self.lock_body() = RequestBody::Text(text);
    }

    /// Takes the request with its body, for axum's extractors that consume it. A compressed body is decoded before.
    ///
    /// The memory of what the extractor reads is counted until [`Context::end_extraction`] is called.
    pub(crate) async fn take_request(&mut self) -> Result<(http::Request<Body>, ExtractedMemory)> {
        let limit = self.services().body_limit;
        let memory = ExtractedMemory::default();
        if content_coding(self.headers())?.is_some() && self.has_body() {
            // Its memory stays reserved until the request ends.
            let body = self.body().await?;
            let headers = &mut self.parts_mut().headers;
            headers.remove(header::CONTENT_ENCODING);
            headers.remove(header::CONTENT_LENGTH);
            return Ok((self.request_with(Body::from(body), limit), memory));
        }
        let body = match self.take_body() {
            RequestBody::Stream(body) if is_small(&body) => Body::new(Limited::new(body, limit)),
            RequestBody::Stream(body) => memory.count(body, limit),
            RequestBody::Text(text) => Body::from(text),
            RequestBody::Read(body) => Body::from(body),
            RequestBody::Taken(_) => Body::empty(),
        };
        Ok((self.request_with(body, limit), memory))
    }

    /// Keeps the memory of what an extractor has read until the request ends. Fails if there was none in time.
    pub(crate) fn end_extraction(&self, memory: &ExtractedMemory) -> Result<()> {
        let reservation = memory.finish()?;
        if reservation.bytes() > 0 {
            *self.lock_body() = RequestBody::Taken(reservation);
        }
        Ok(())
    }

    fn request_with(&mut self, body: Body, limit: usize) -> http::Request<Body> {
        let mut request = http::Request::from_parts(self.parts_mut().clone(), body);
        DefaultBodyLimit::max(limit).apply(&mut request);
        request
    }

    fn take_body(&self) -> RequestBody {
        std::mem::replace(&mut *self.lock_body(), RequestBody::Taken(Reservation::default()))
    }

    fn lock_body(&self) -> MutexGuard<'_, RequestBody> {
        self.0.body.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a body is so small that its memory is not counted.
fn is_small(body: &Body) -> bool {
    body.size_hint().upper().is_some_and(|size| size < SMALL as u64)
}
