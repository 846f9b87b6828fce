//! Compressed bodies of requests.

use http::{HeaderMap, header};

#[cfg(feature = "compression")]
use {
    crate::http::{Coding, Decoder, MEMORY_TIMEOUT, Reservation},
    crate::pipeline::cpu_bound::run_cpu_bound,
    bytes::Bytes,
    std::io,
};

use crate::pipeline::error::{Error, ErrorKind, Result};

#[cfg(feature = "compression")]
const ACCEPTED: http::HeaderValue = http::HeaderValue::from_static("zstd, br, gzip");

/// Bytes that are decoded on the thread of the request; a longer body is decoded elsewhere.
#[cfg(feature = "compression")]
const SHORT: usize = 64 * 1024;

/// Bytes that are decoded at a time.
#[cfg(feature = "compression")]
const PART: usize = 16 * 1024;

/// Coding of a request's body, if it has one.
#[cfg(feature = "compression")]
pub(crate) fn content_coding(headers: &HeaderMap) -> Result<Option<Coding>> {
    let Some(name) = coding_name(headers) else {
        return Ok(None);
    };
    Coding::of(name).map(Some).ok_or_else(|| {
        let message = "The request body must be compressed with zstd, br or gzip, and once, or not at all.";
        let error = Error::new(ErrorKind::UnsupportedMediaType(message.to_owned()));
        error.with_header(header::ACCEPT_ENCODING, ACCEPTED)
    })
}

/// Rejects compressed bodies.
#[cfg(not(feature = "compression"))]
pub(crate) fn content_coding(headers: &HeaderMap) -> Result<Option<std::convert::Infallible>> {
    match coding_name(headers) {
        None => Ok(None),
        Some(_) => Err(Error::new(ErrorKind::UnsupportedMediaType(
            "The request body must not be compressed.".to_owned(),
        ))),
    }
}

/// Value of `Content-Encoding`, empty if it is none, unless the body is not encoded.
fn coding_name(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::CONTENT_ENCODING).iter();
    let value = values.next()?.to_str().unwrap_or_default();
    match values.next() {
        Some(_) => Some(""),
        None => Some(value).filter(|value| !value.eq_ignore_ascii_case("identity")),
    }
}

/// Decodes a body, up to a limit, into memory that is reserved for it.
#[cfg(feature = "compression")]
pub(super) async fn decoded(body: Bytes, coding: Coding, limit: usize) -> Result<(Bytes, Reservation)> {
    let mut memory = Reservation::empty();
    let likely = body.len().saturating_mul(4).clamp(SHORT, limit.max(SHORT));
    if !memory.grow_within(MEMORY_TIMEOUT, likely).await {
        return Err(Error::out_of_memory());
    }
    let decoder = Decoder::new(coding, body).map_err(|_| malformed(coding))?;
    let mut decoding = Decoding {
        decoder,
        coding,
        memory,
        decoded: Vec::new(),
        limit,
    };
    let is_complete = decoding.read_to(SHORT)?;
    if !is_complete {
        // The size is unknown, and a decoder has a large window: few are open at a time.
        decoding = run_cpu_bound(move || decoding.read_to(usize::MAX).map(|_| decoding)).await??;
    }
    let Decoding {
        mut memory, decoded, ..
    } = decoding;
    memory.settle(decoded.capacity());
    Ok((Bytes::from(decoded), memory))
}

/// A body that is being decoded.
#[cfg(feature = "compression")]
struct Decoding {
    decoder: Decoder,
    coding: Coding,
    memory: Reservation,
    decoded: Vec<u8>,
    limit: usize,
}

#[cfg(feature = "compression")]
impl Decoding {
    /// Decodes at least this many bytes, unless the body has less. Returns whether it is complete.
    fn read_to(&mut self, target: usize) -> Result<bool> {
        let mut part = [0; PART];
        while self.decoded.len() < target {
            let read = match self.decoder.read(&mut part) {
                Ok(0) => return Ok(true),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(malformed(self.coding)),
            };
            let needed = self.decoded.len() + read;
            if needed > self.limit {
                return Err(Error::new(ErrorKind::TooLarge(self.limit)));
            }
            if needed > self.decoded.capacity() {
                let capacity = needed.max(2 * self.decoded.capacity());
                if !self.memory.grow(capacity) {
                    return Err(Error::out_of_memory());
                }
                self.decoded.reserve_exact(capacity - self.decoded.len());
            }
            self.decoded.extend_from_slice(&part[..read]);
        }
        Ok(false)
    }
}

#[cfg(feature = "compression")]
fn malformed(coding: Coding) -> Error {
    Error::malformed(format!("The request body is not valid {}.", coding.name()))
}
