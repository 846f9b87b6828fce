//! Helpers for responses.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::Stream;

use crate::outcome::Failure;

/// Bytes per chunk of a list.
pub(super) const PIECE: usize = 64 * 1024;

pub(super) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

pub(super) fn status(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Returns a row, or 404 without one.
pub(super) fn found(row: Option<Vec<u8>>) -> Response {
    row.map_or_else(|| status(StatusCode::NOT_FOUND), |row| json(StatusCode::OK, row))
}

pub(super) fn streamed(pieces: impl Stream<Item = Result<Bytes, Failure>> + Send + 'static) -> Response {
    json(StatusCode::OK, Body::from_stream(pieces))
}
