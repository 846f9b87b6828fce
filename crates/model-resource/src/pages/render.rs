//! Renders the page of a request.

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::{HeaderValue, header};

use crate::description::ApiDescription;
use crate::pages::content::{Fetch, PageContent, PageRequest};
use crate::pages::list::list_page;
use crate::pages::settings::CompiledPages;
use crate::pages::site::Site;
use crate::routing::Operation;

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// Renders the page that shows a JSON response. The status is that of the response; the headers are those of the page,
/// including the content security policy, and the engine keeps those of the response that do not describe its body.
pub(crate) async fn render(
    pages: &CompiledPages,
    request: &PageRequest,
    content: PageContent,
    api: &ApiDescription,
    fetch: &dyn Fetch,
) -> Response {
    let site = Site::new(api, request);
    let html: BoxFuture<'_, _> = Box::pin(html(pages, &site, &content, fetch));
    let html = html.await;
    let html = html.unwrap_or_else(|error| {
        tracing::error!(%error, "cannot render a page");
        "<!doctype html><title>Error</title><p>The page cannot be shown; its template has an error."
            .to_owned()
    });
    let mut response = Response::new(Body::from(html));
    *response.status_mut() = content.status;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

async fn html(
    pages: &CompiledPages,
    site: &Site<'_>,
    content: &PageContent,
    fetch: &dyn Fetch,
) -> Result<String, minijinja::Error> {
    let action = site.request.action.as_deref();
    if content.status.is_success()
        && let Some(action) = action
        && action.route.operation == Some(Operation::List)
        && let Some(page) = list_page(pages, site, action, content, fetch).await
    {
        return pages.templates.render("list.html", &page);
    }
    Ok(String::new())
}
