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

/// Bytes of a body that is decoded on the thread of the request, and of what it becomes; any other is decoded elsewhere.
#[cfg(feature = "compression")]
const SHORT_ENCODED: usize = 16 * 1024;
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

/// Name of the coding of a body, if it has one. Several are no name that is known.
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
    if body.len() <= SHORT_ENCODED {
        let mut decoding = Decoding::new(body.clone(), coding, memory, limit)?;
        if decoding.read_to(SHORT)? {
            return Ok(decoding.finish());
        }
        memory = decoding.memory;
    }
    // Decoding takes long, and decoders have large windows: few of them exist at a time.
    run_cpu_bound(move || {
        let mut decoding = Decoding::new(body, coding, memory, limit)?;
        decoding.read_to(usize::MAX)?;
        Ok(decoding.finish())
    })
    .await?
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
    fn new(body: Bytes, coding: Coding, memory: Reservation, limit: usize) -> Result<Self> {
        Ok(Self {
            decoder: Decoder::new(coding, body).map_err(|_| malformed(coding))?,
            coding,
            memory,
            decoded: Vec::new(),
            limit,
        })
    }

    fn finish(mut self) -> (Bytes, Reservation) {
        self.memory.settle(self.decoded.capacity());
        (Bytes::from(self.decoded), self.memory)
    }

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
                let capacity = needed.max((2 * self.decoded.capacity()).min(self.limit));
                if !self.memory.grow(capacity) {
                    self.memory.refuse();
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
