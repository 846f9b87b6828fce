//! Bodies that are in memory as a whole.

use axum::body::Body;
use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use http_body::Body as _;
use http_body_util::BodyExt as _;

/// Takes the bytes of a body that is in memory as a whole and not longer than the limit; returns any other body.
pub(crate) fn take_whole(mut body: Body, limit: usize) -> Result<Bytes, Body> {
    if body.size_hint().exact().is_none_or(|size| size > limit as u64) {
        return Err(body);
    }
    let Some(Some(Ok(frame))) = body.frame().now_or_never() else {
        return Err(body);
    };
    let Ok(bytes) = frame.into_data() else {
        return Err(body);
    };
    if body.is_end_stream() {
        return Ok(bytes);
    }
    let first = stream::once(async { Ok::<_, axum::Error>(bytes) });
    Err(Body::from_stream(first.chain(body.into_data_stream())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_a_body_in_one_piece_is_taken() {
        let whole = take_whole(Body::from("all of it"), 9);
        assert_eq!(whole.ok(), Some(Bytes::from_static(b"all of it")));
        let pieces = ["one", "two"].map(|piece| Ok::<_, axum::Error>(Bytes::from_static(piece.as_bytes())));
        for other in [Body::from("all of it"), Body::from_stream(stream::iter(pieces))] {
            let expected = other.size_hint().exact().map_or("onetwo", |_| "all of it");
            let body = take_whole(other, 8).expect_err("it is too long, or in pieces");
            let bytes = body.collect().await.map(http_body_util::Collected::to_bytes);
            assert_eq!(bytes.ok(), Some(Bytes::from_static(expected.as_bytes())));
        }
    }
}
