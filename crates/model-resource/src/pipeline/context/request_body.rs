//! Body of a request, which is read at most once.

use axum::body::Body;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::http::{MEMORY_TIMEOUT, Reservation, SMALL};
use crate::pipeline::error::{Error, ErrorKind, Result};

/// Body of a request, until it is taken.
pub(super) enum RequestBody {
    /// A body that was not read yet.
    Stream(Body),
    /// Text of a body that was read, for the next reader.
    Text(String),
    /// A body that was read, for the next reader.
    Read(Bytes),
    /// No body any more; its memory is reserved until the request ends.
    Taken(#[expect(dead_code, reason = "it reserves memory while it lives")] Reservation),
}

/// Reads a body of any size up to the limit into memory that is reserved for it.
pub(super) async fn read_reserved(body: Body, limit: usize) -> Result<(Bytes, Reservation)> {
    let mut body = Limited::new(body, limit);
    let mut memory = Reservation::empty();
    let mut all = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            if error.is::<LengthLimitError>() {
                Error::new(ErrorKind::TooLarge(limit))
            } else {
                Error::malformed("The request body ended early.")
            }
        })?;
        let Ok(bytes) = frame.into_data() else {
            continue;
        };
        let needed = all.len() + bytes.len();
        if needed > all.capacity() {
            let capacity = needed.max(2 * all.capacity());
            if capacity > SMALL && !memory.grow_within(MEMORY_TIMEOUT, capacity).await {
                return Err(Error::out_of_memory());
            }
            all.reserve_exact(capacity - all.len());
        }
        all.extend_from_slice(&bytes);
    }
    Ok((Bytes::from(all), memory))
}
