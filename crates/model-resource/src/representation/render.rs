//! One representation: what a user writes, and what the framework runs.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::{HeaderMap, StatusCode};

use crate::api_state::ApiState;
use crate::error::Result;
use crate::payload::Payload;

/// One way to write data, under a media type.
///
/// A function from the data as JSON, the status and the headers to a response is one:
///
/// ```
/// use axum::response::{IntoResponse, Response};
/// use http::{HeaderMap, StatusCode};
/// use model_resource::{Representations, Result};
///
/// fn plain(data: serde_json::Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
///     Ok((status, headers, format!("{data:#}")).into_response())
/// }
///
/// let representations = Representations::none().with("text/plain", plain);
/// ```
pub trait Representation: Send + Sync + 'static {
    /// Writes the data. The content type is set afterwards.
    fn render(&self, data: serde_json::Value, status: StatusCode, headers: HeaderMap) -> Result<Response>;
}

impl<F> Representation for F
where
    F: Fn(serde_json::Value, StatusCode, HeaderMap) -> Result<Response> + Send + Sync + 'static,
{
    fn render(&self, data: serde_json::Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
        self(data, status, headers)
    }
}

/// What a representation does inside: it may stream.
pub(crate) trait Render: Send + Sync + 'static {
    fn render(&self, payload: Payload, services: Arc<ApiState>) -> BoxFuture<'static, Result<Response>>;
}

/// A response of these parts.
pub(super) fn response(body: Body, status: StatusCode, headers: HeaderMap) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
