//! The traits of representations (renderers): the public one and the internal one, which can stream.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::{HeaderMap, StatusCode};

use crate::handle::Payload;
use crate::pipeline::{ApiState, Result};

/// Serializes data under a media type (a renderer in other frameworks).
///
/// Implemented by functions from the data as JSON, the status and the headers to a response:
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
#[doc(alias = "renderer")]
pub trait Representation: Send + Sync + 'static {
    /// Renders the data. The content type is set afterwards.
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

/// Internal trait of representations, which may stream.
pub(crate) trait Render: Send + Sync + 'static {
    fn render(&self, payload: Payload, services: Arc<ApiState>) -> BoxFuture<'static, Result<Response>>;
}

/// Builds a response from its parts.
pub(super) fn response(body: Body, status: StatusCode, headers: HeaderMap) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
