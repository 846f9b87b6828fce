//! Responses that are recorded for repetitions of their requests.

use axum::body::Body;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use futures_util::stream;
use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model_resource_store::StoredResponse;

use crate::handle::PREFERENCE_APPLIED;
use crate::keyed_digest::DIGEST_LENGTH;
use crate::pipeline::{Error, Result, may_contain_secret};

/// Header of a response that was recorded earlier.
pub(crate) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Maximum bytes of a body that is recorded.
const MAX_BODY: usize = 256 * 1024;

/// A response, whose body is in memory unless it is too large to be recorded.
pub(crate) struct RecordedResponse {
    head: Parts,
    body: Content,
}

enum Content {
    Whole(Bytes),
    /// The beginning, and the rest as it comes.
    Large(Bytes, Body),
}

impl RecordedResponse {
    /// Reads the body of a response, as far as it can be recorded.
    pub(crate) async fn read(response: Response) -> Result<Self> {
        let (head, body) = response.into_parts();
        let mut data = body.into_data_stream();
        let mut read = match data.next().await {
            Some(chunk) => chunk.map_err(Error::internal)?,
            None => Bytes::new(),
        };
        while read.len() <= MAX_BODY {
            let Some(chunk) = data.next().await else {
                let body = Content::Whole(read);
                return Ok(Self { head, body });
            };
            let mut longer = BytesMut::from(read);
            longer.extend_from_slice(&chunk.map_err(Error::internal)?);
            read = longer.freeze();
        }
        let body = Content::Large(read, Body::from_stream(data));
        Ok(Self { head, body })
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.head.status
    }

    /// Whether the response may be stored, because it contains no secret.
    pub(super) fn is_storable(&self) -> bool {
        !may_contain_secret(&self.head.headers)
    }

    /// Returns the form that is stored.
    pub(super) fn stored(&self, request: [u8; DIGEST_LENGTH]) -> StoredResponse {
        StoredResponse {
            request: request.to_vec(),
            status: self.head.status.as_u16(),
            headers: write_headers(&self.head.headers),
            body: match &self.body {
                Content::Whole(body) if body.len() <= MAX_BODY => Some(body.to_vec()),
                Content::Whole(_) | Content::Large(..) => None,
            },
        }
    }

    pub(crate) fn into_response(self) -> Response {
        let body = match self.body {
            Content::Whole(body) => Body::from(body),
            Content::Large(first, rest) => {
                let first = stream::once(async { Ok::<_, axum::Error>(first) });
                Body::from_stream(first.chain(rest.into_data_stream()))
            }
        };
        Response::from_parts(self.head, body)
    }
}

/// Returns the response to a repetition. A body that was too large is left out, as if the client preferred that.
pub(super) fn replay(stored: StoredResponse) -> Result<Response> {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::from_u16(stored.status).map_err(Error::internal)?;
    let mut headers =
        read_headers(&stored.headers).ok_or_else(|| Error::internal("a stored header is invalid"))?;
    headers.insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    match stored.body {
        Some(body) => *response.body_mut() = Body::from(body),
        None => {
            headers.remove(header::CONTENT_TYPE);
            headers.remove(header::CONTENT_LENGTH);
            headers.insert(PREFERENCE_APPLIED, HeaderValue::from_static("return=minimal"));
        }
    }
    *response.headers_mut() = headers;
    Ok(response)
}

/// Writes one line per header. Values have no line ends.
fn write_headers(headers: &HeaderMap) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    for (name, value) in headers {
        out.extend_from_slice(name.as_str().as_bytes());
        out.push(b':');
        out.extend_from_slice(value.as_bytes());
        out.push(b'\n');
    }
    out
}

fn read_headers(text: &[u8]) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = HeaderName::from_bytes(&line[..colon]).ok()?;
        headers.append(name, HeaderValue::from_bytes(&line[colon + 1..]).ok()?);
    }
    Some(headers)
}
