//! Compression of responses.

use std::io;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body::Body as _;

use crate::http::cache_directive::has_directive;
use crate::http::compression::coding::Coding;
use crate::http::compression::compressed_body::CompressedBody;
use crate::http::compression::encoder::Encoder;
use crate::http::encoder_memory::EncoderMemory;
use crate::http::memory_body::{count_uncompressed, uncounted};
use crate::http::vary::vary_by;
use crate::http::whole_body::take_whole;

/// Size in bytes below which a body fits in one packet anyway.
const MIN_SIZE: u64 = 1024;
/// Size in bytes up to which a body in memory is compressed before it is sent.
const MAX_AT_ONCE: usize = 64 * 1024;

/// Response extension: the body may contain a secret, whose characters its compressed size would reveal.
#[derive(Clone)]
pub(crate) struct Uncompressed;

/// Compresses the body of a response, if the client accepts that and it is worthwhile.
///
/// Pages are not compressed: they contain tokens beside text that a link to them can choose, so that their size would
/// tell an attacker whether both have characters in common.
pub(crate) fn compress(mut response: Response, accepted: Option<Coding>) -> Response {
    if !is_compressible(&response) {
        return response;
    }
    vary_by(
        response.headers_mut(),
        &HeaderValue::from_static("accept-encoding"),
    );
    let Some(coding) = accepted.filter(|_| response.status() != StatusCode::NOT_MODIFIED) else {
        return response;
    };
    let (mut head, body) = response.into_parts();
    let compressed = match take_whole(body, MAX_AT_ONCE) {
        Ok(bytes) => at_once(bytes, coding),
        Err(body) => count_uncompressed(body, &head.extensions).and_then(|body| in_parts(body, coding)),
    };
    match compressed {
        Ok(body) => {
            uncounted(&mut head.extensions);
            head.headers.remove(header::CONTENT_LENGTH);
            let coding = HeaderValue::from_static(coding.name());
            head.headers.insert(header::CONTENT_ENCODING, coding);
            Response::from_parts(head, body)
        }
        Err(body) => Response::from_parts(head, body),
    }
}

/// Whether a response is compressed for clients that accept it. A 304 counts as one, since it must have the `Vary` of the
/// response that a cache keeps, whose size is not known here.
fn is_compressible(response: &Response) -> bool {
    let (headers, status) = (response.headers(), response.status());
    if status == StatusCode::NOT_MODIFIED {
        return true;
    }
    let size = response.body().size_hint();
    let is_large = size.exact().is_none_or(|size| size >= MIN_SIZE);
    is_large
        && !is_byte_range(headers)
        && !headers.contains_key(header::CONTENT_ENCODING)
        && response.extensions().get::<Uncompressed>().is_none()
        && is_of_compressible_type(headers)
        && !forbids_transformation(headers)
}

/// Whether a response is a part of other bytes. Parts of lists have other units.
fn is_byte_range(headers: &HeaderMap) -> bool {
    let range = headers.get(header::CONTENT_RANGE);
    range.is_some_and(|range| range.as_bytes().starts_with(b"bytes"))
}

fn forbids_transformation(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CACHE_CONTROL).iter();
    values.any(|value| has_directive(value, b"no-transform"))
}

fn is_of_compressible_type(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE);
    let Some(text) = content_type.and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let essence = text.split(';').next().unwrap_or(text).trim();
    match essence.split_once('/') {
        Some(("application", "json" | "x-ndjson" | "javascript" | "xml" | "openapi+json" | "yaml")) => true,
        Some(("application" | "image", subtype)) => subtype.ends_with("+json") || subtype.ends_with("+xml"),
        // Events must arrive one by one.
        Some(("text", subtype)) => !matches!(subtype, "html" | "event-stream"),
        _ => false,
    }
}

/// Compresses bytes; returns them as they were if that does not make them shorter.
fn at_once(bytes: Bytes, coding: Coding) -> Result<Body, Body> {
    match compressed(&bytes, coding) {
        Ok(compressed) if compressed.len() < bytes.len() => Ok(Body::from(compressed)),
        _ => Err(Body::from(bytes)),
    }
}

fn compressed(bytes: &Bytes, coding: Coding) -> io::Result<Vec<u8>> {
    let mut encoder = Encoder::new(coding)?;
    encoder.write(bytes)?;
    encoder.finish()
}

/// Compresses a body while it is sent; returns it as it was if there is no memory for another encoder.
fn in_parts(body: Body, coding: Coding) -> Result<Body, Body> {
    let Some(memory) = EncoderMemory::reserve(Encoder::memory(coding)) else {
        return Err(body);
    };
    match Encoder::new(coding) {
        Ok(encoder) => Ok(Body::new(CompressedBody::new(body, encoder, memory))),
        Err(_) => Err(body),
    }
}
