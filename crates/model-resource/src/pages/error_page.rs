//! Page of an error: what happened, and what the reader can do.

use http::{StatusCode, header};
use serde::Serialize;

use crate::pages::content::{PageContent, PageRequest};
use crate::pages::frame::{Frame, PageLink};
use crate::pages::page_json::PageJson;
use crate::pages::settings::CompiledPages;
use crate::pages::site::Site;
use crate::pages::urls::PageQuery;
use crate::query::PAGINATION_PARAMETERS;
use crate::routing::Operation;

/// Page of an error.
#[derive(Serialize)]
pub(crate) struct ErrorPage {
    frame: Frame,
    status: u16,
    heading: &'static str,
    /// Message of the response.
    message: String,
    /// Errors by field or parameter.
    errors: Vec<(String, String)>,
    advice: String,
    links: Vec<PageLink>,
    /// Whether a login may help.
    offers_login: bool,
    request_id: String,
}

/// Makes the page of an error response.
pub(crate) fn error_page(pages: &CompiledPages, site: &Site<'_>, content: &PageContent<'_>) -> ErrorPage {
    let (request, status) = (site.request, content.status);
    let is_known = request.caller.is_authenticated();
    let text = |name: &str| content.json.get(name).and_then(PageJson::as_str);
    let message = text("message").or_else(|| text("detail")).unwrap_or_default();
    let heading = heading(status);
    let mut links = Vec::new();
    if !request.query.is_empty() && status == StatusCode::BAD_REQUEST {
        links.push(link("The same page without parameters", request.path.clone()));
    }
    if status == StatusCode::NOT_ACCEPTABLE {
        links.extend(fewer_rows(request));
    }
    if let Some(parent) = parent(site) {
        links.push(parent);
    }
    links.push(link("Overview", site.href(&site.overview())));
    let id = content
        .headers
        .get("x-request-id")
        .and_then(|id| id.to_str().ok());
    ErrorPage {
        status: status.as_u16(),
        heading,
        message: if message.trim_end_matches('.') == heading {
            String::new()
        } else {
            message.to_owned()
        },
        errors: errors(&content.json),
        advice: advice(site, content),
        links,
        offers_login: !is_known && pages.login.is_some() && matches!(status.as_u16(), 401 | 403 | 404),
        request_id: text("requestId").or(id).unwrap_or_default().to_owned(),
        frame: Frame::new(pages, site, heading.to_owned()).without_objects(),
    }
}

fn link(label: &str, url: String) -> PageLink {
    PageLink {
        label: label.to_owned(),
        url,
        is_current: false,
    }
}

/// List with fewer rows, for one that is too large for a page.
fn fewer_rows(request: &PageRequest) -> Option<PageLink> {
    let action = request.action.as_deref()?;
    if action.route.operation != Some(Operation::List) {
        return None;
    }
    let query = PageQuery(request.query.clone());
    let (label, size) = match query.get("pageSize") {
        Some("1") => return None,
        Some("10") => ("With one row", "1"),
        _ => ("With ten rows", "10"),
    };
    let query = query
        .without(&PAGINATION_PARAMETERS)
        .without(&["count", "format"]);
    Some(link(label, query.with("pageSize", size).url(&request.path)))
}

/// Nearest list above the page.
fn parent(site: &Site<'_>) -> Option<PageLink> {
    let path = site.path();
    let above = site.collections().filter_map(|action| {
        let own = site.fill(&action.route.url, &[])?;
        let below = path.strip_prefix(own.as_str())?;
        below.starts_with('/').then(|| PageLink {
            label: site.list_title(action),
            url: site.href(&own),
            is_current: false,
        })
    });
    above.max_by_key(|link| link.url.len())
}

fn heading(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 | 414 | 422 => "This request is not valid",
        401 => "Please log in",
        403 => "You may not do this",
        404 => "Not found",
        405 => "This URL cannot be opened in a browser",
        406 => "Not available in this format",
        408 => "This took too long",
        409 => "Conflict",
        410 => "No longer here",
        413 => "Too large",
        429 => "Too many requests",
        503 => "Not available at the moment",
        500..=599 => "Something went wrong",
        _ => "This did not work",
    }
}

fn advice(site: &Site<'_>, content: &PageContent<'_>) -> String {
    let caller = &site.request.caller;
    let roles = caller.roles().join(", ");
    let retry = content
        .headers
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok());
    match content.status.as_u16() {
        400 | 414 | 422 => "Change the parameters in the address, or begin without them.".to_owned(),
        401 => "Log in to see this page.".to_owned(),
        403 if caller.is_authenticated() && roles.is_empty() => {
            "You are logged in, but without a role that allows it. Ask an administrator for access."
                .to_owned()
        }
        403 if caller.is_authenticated() => {
            format!("Your roles ({roles}) do not allow it. Ask an administrator for access.")
        }
        403 => "Log in with an account that is allowed to do it.".to_owned(),
        404 => {
            "The address may be wrong, the object may have been deleted, or you may not be allowed to see it."
                .to_owned()
        }
        406 => {
            "Ask for fewer rows or fields, or get it as JSON by one of the commands under \"For developers\"."
                .to_owned()
        }
        429 | 503 => match retry {
            Some(seconds) => format!("Try again in {seconds} seconds."),
            None => "Try again in a while.".to_owned(),
        },
        500..=599 => {
            "It has been logged. Try again, and report the request ID if it happens again.".to_owned()
        }
        _ => String::new(),
    }
}

/// Messages of a response by field.
fn errors(json: &PageJson<'_>) -> Vec<(String, String)> {
    let errors = json.get("errors").and_then(PageJson::as_object);
    let fields = errors.into_iter().flatten().map(|(name, value)| {
        let texts: Vec<String> = match value {
            PageJson::Array(texts) => texts
                .iter()
                .map(|text| text.as_str().map_or_else(|| text.to_string(), str::to_owned))
                .collect(),
            other => vec![other.to_string()],
        };
        (name.clone().into_owned(), texts.join(" "))
    });
    fields.collect()
}
