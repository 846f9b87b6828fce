//! Rows as the pages of lists and of groups show them: the table, with what is above and below it.

use minijinja::Value as Html;
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::content::{Fetch, PageContent, PageView};
use crate::pages::escape::push_text;
use crate::pages::format::push_json;
use crate::pages::frame::PageLink;
use crate::pages::list::pager::{PagePosition, Pager};
use crate::pages::naming;
use crate::pages::settings::CompiledPages;
use crate::pages::site::Site;
use crate::pages::urls::PageQuery;
use crate::query::PAGINATION_PARAMETERS;

/// Maximum rows of a page, if the list has no limit of its own.
const MAX_ROWS: u64 = 1000;

/// Table of rows, and what is above and below it.
#[derive(Serialize)]
pub(super) struct ShownRows {
    pub(super) table: Html,
    pub(super) is_empty: bool,
    pub(super) pager: Pager,
    /// Links to all rows in other formats.
    pub(super) exports: Vec<PageLink>,
    /// SQL, query plan and missing indexes, if the page shows them.
    pub(super) explanation: Option<Html>,
}

/// Pagination of the rows of a response.
pub(super) fn pager(
    pages: &CompiledPages,
    site: &Site<'_>,
    action: &ActionDescription,
    query: &PageQuery,
    content: &PageContent<'_>,
    rows: usize,
) -> Pager {
    let list = action.list.as_ref();
    let position = PagePosition {
        query,
        path: &site.request.path,
        default_size: list.and_then(|list| list.page_size).unwrap_or(pages.page_size),
        max_size: list.and_then(|list| list.max_rows).unwrap_or(MAX_ROWS),
        rows: rows as u64,
    };
    Pager::new(&position, &content.headers)
}

/// Links to the whole list in other formats, without some parameters.
pub(super) fn exports(
    action: &ActionDescription,
    query: &PageQuery,
    path: &str,
    left_out: &[&str],
) -> Vec<PageLink> {
    let all = query.without(&PAGINATION_PARAMETERS).without(left_out);
    let formats = [
        ("CSV", "text/csv", "csv"),
        ("NDJSON", "application/x-ndjson", "ndjson"),
    ];
    let known = formats.iter().filter(|(_, media_type, _)| {
        action
            .media_types
            .iter()
            .any(|known| known.starts_with(media_type))
    });
    let links = known.map(|(label, _, format)| PageLink {
        label: (*label).to_owned(),
        url: all.with("format", *format).url(path),
        is_current: false,
    });
    links.collect()
}

/// Members of an explanation, texts in their own lines.
fn explanation_html(explanation: &serde_json::Value) -> String {
    let mut out = String::new();
    let Some(members) = explanation.as_object() else {
        push_json(&mut out, explanation);
        return out;
    };
    for (name, value) in members {
        out.push_str("<h3>");
        push_text(&mut out, &naming::words(name));
        out.push_str("</h3>");
        match value.as_str() {
            Some(text) => {
                out.push_str("<pre tabindex=\"0\">");
                push_text(&mut out, text);
                out.push_str("</pre>");
            }
            None => push_json(&mut out, value),
        }
    }
    out
}

/// SQL, query plan and missing indexes of the list, if the page shows them.
pub(super) async fn explanation(site: &Site<'_>, query: &PageQuery, fetch: &dyn Fetch) -> Option<Html> {
    if site.request.view != PageView::Explain || !site.request.sees_diagnostics {
        return None;
    }
    let explanation = fetch.explain(query.url(site.path())).await?;
    Some(Html::from_safe_string(explanation_html(&explanation)))
}
