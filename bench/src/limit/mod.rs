//! Articles with axum and a native driver, every byte written by hand: what can be had at the most.

mod numeric;
mod postgres;
mod sqlite;
mod write;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::Stream;

use crate::outcome::Failure;

/// Lists are sent in pieces of this size.
const PIECE: usize = 64 * 1024;

pub(crate) async fn router(database: &str) -> Result<Router, Failure> {
    if database.starts_with("postgres") {
        postgres::router(database).await
    } else {
        sqlite::router(database).await
    }
}

fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

fn status(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A row, or 404 if there is none.
fn found(row: Option<Vec<u8>>) -> Response {
    row.map_or_else(|| status(StatusCode::NOT_FOUND), |row| json(StatusCode::OK, row))
}

fn streamed(pieces: impl Stream<Item = Result<Bytes, Failure>> + Send + 'static) -> Response {
    json(StatusCode::OK, Body::from_stream(pieces))
}
