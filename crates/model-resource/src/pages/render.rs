//! Renders the page of a request.

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::{HeaderValue, StatusCode, header};

use crate::description::{ActionDescription, ApiDescription};
use crate::pages::content::{Fetch, PageContent, PageRequest, PageView};
use crate::pages::error_page::error_page;
use crate::pages::form::{edit_page, new_page};
use crate::pages::json_page::json_page;
use crate::pages::list::{groups_page, import_page, list_page};
use crate::pages::object::{delete_page, object_label, object_page};
use crate::pages::overview::overview_page;
use crate::pages::settings::CompiledPages;
use crate::pages::site::{self, Site};
use crate::pages::view::view_page;
use crate::routing::Operation;

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// Renders the page that shows a JSON response. The status is that of the response; the headers are those of the page,
/// including the content security policy, and the engine keeps those of the response that do not describe its body.
pub(crate) async fn render(
    pages: &CompiledPages,
    request: &PageRequest,
    content: PageContent<'_>,
    api: &ApiDescription,
    fetch: &dyn Fetch,
) -> Response {
    let site = Site::new(pages, api, request);
    let html: BoxFuture<'_, _> = Box::pin(html(pages, &site, &content, fetch));
    let (html, status) = match html.await {
        Ok(html) => (html, content.status),
        Err(error) => {
            log_template_error(&error, request);
            let html =
                "<!doctype html><title>Error</title><p>The page cannot be shown; its template has an error.";
            (html.to_owned(), StatusCode::INTERNAL_SERVER_ERROR)
        }
    };
    let mut response = Response::new(Body::from(html));
    *response.status_mut() = status;
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

fn log_template_error(error: &minijinja::Error, request: &PageRequest) {
    let path = &request.path;
    tracing::error!(%error, path, "the template of a page has an error");
    // Without a subscriber the cause would be lost.
    if !tracing::dispatcher::has_been_set() {
        eprintln!("the page of {path} failed: {error}");
    }
}

async fn html(
    pages: &CompiledPages,
    site: &Site<'_>,
    content: &PageContent<'_>,
    fetch: &dyn Fetch,
) -> Result<String, minijinja::Error> {
    let (request, templates) = (site.request, &pages.templates);
    if request.is_overview && content.status.is_success() && request.view != PageView::Json {
        return templates.render("overview.html", &overview_page(pages, site, fetch).await);
    }
    let action = request.action.as_deref();
    let operation = action.and_then(|action| action.route.operation);
    let is_shown = content.status.is_success() && request.view != PageView::Json;
    let page = match action {
        Some(action) if is_shown && operation == Some(Operation::List) => {
            list_html(pages, site, action, content, fetch).await
        }
        Some(action) if is_shown && operation == Some(Operation::Get) => {
            object_html(pages, site, action, content, fetch).await
        }
        _ => None,
    };
    if let Some(page) = page {
        return page;
    }
    let is_view = content.status == StatusCode::METHOD_NOT_ALLOWED || is_shown && operation.is_none();
    if is_view && let Some(page) = view_page(pages, site, content, fetch).await {
        return templates.render("view.html", &page);
    }
    if content.status.is_client_error() || content.status.is_server_error() {
        return templates.render("error.html", &error_page(pages, site, content));
    }
    let title = action.map_or_else(|| "Response".to_owned(), |action| site.list_title(action));
    templates.render("json.html", &json_page(pages, site, content, title))
}

/// Rendered page, or the error of its template. `None` if the view does not apply to the response.
type RenderedPage = Option<Result<String, minijinja::Error>>;

async fn list_html(
    pages: &CompiledPages,
    site: &Site<'_>,
    action: &ActionDescription,
    content: &PageContent<'_>,
    fetch: &dyn Fetch,
) -> RenderedPage {
    let templates = &pages.templates;
    match site.request.view {
        PageView::New => {
            if let Some(page) = new_page(pages, site, action, fetch).await {
                return Some(templates.render("form.html", &page));
            }
        }
        PageView::Import => {
            if let Some(page) = import_page(pages, site) {
                return Some(templates.render("import.html", &page));
            }
        }
        PageView::Show | PageView::Explain | PageView::Edit | PageView::Delete | PageView::Json => {}
    }
    if let Some(page) = groups_page(pages, site, action, content, fetch).await {
        return Some(templates.render("groups.html", &page));
    }
    let page = list_page(pages, site, action, content, fetch).await?;
    Some(templates.render("list.html", &page))
}

async fn object_html(
    pages: &CompiledPages,
    site: &Site<'_>,
    action: &ActionDescription,
    content: &PageContent<'_>,
    fetch: &dyn Fetch,
) -> RenderedPage {
    let templates = &pages.templates;
    let schema = action.response.as_deref()?;
    let object = site::single_object(&content.json, Some(schema))?;
    match site.request.view {
        PageView::Edit => {
            let label = object_label(site, action, object);
            if let Some(page) = edit_page(pages, site, object, &label, fetch).await {
                return Some(templates.render("form.html", &page));
            }
        }
        PageView::Delete => {
            if let Some(page) = delete_page(pages, site, action, object, content.version(), fetch).await {
                return Some(templates.render("delete.html", &page));
            }
        }
        PageView::Show | PageView::Explain | PageView::New | PageView::Import | PageView::Json => {}
    }
    let page = object_page(pages, site, action, object, content.version(), fetch).await?;
    Some(templates.render("object.html", &page))
}
