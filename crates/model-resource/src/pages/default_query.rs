//! Parameters that a page adds to the query of its URL: those that it needs and that the client has left open.

use model_resource_schema::serializer::OutputValue;

use crate::pages::content::{PageRequest, PageView};
use crate::query::ListOptions;
use crate::routing::Operation;

/// Parameters that set the size of a page, ask for another style of pagination, or for a file.
const SIZE_PARAMETERS: [&str; 5] = ["pageSize", "limit", "offset", "cursor", "format"];
/// Maximum relations that a page expands by itself; the api allows ten.
const MAX_EXPANDED: usize = 6;

/// Parameters for a page of a list, and for the objects that foreign keys refer to. Lists without a size of their own
/// have this one.
pub(crate) fn default_query(
    request: &PageRequest,
    list: Option<&ListOptions>,
    page_size: u64,
) -> Vec<(String, String)> {
    let mut query = Vec::new();
    let asks_for_groups = list.is_some_and(|list| list.asks_for_groups(&request.query));
    let list = list.filter(|list| !list.custom_query && takes_size(request, list));
    if let Some(list) = list {
        let size = if is_form_of_list(request) {
            1
        } else {
            let size = list.page_size.unwrap_or(page_size);
            size.clamp(1, list.max_page())
        };
        query.push(("pageSize".to_owned(), size.to_string()));
    }
    let relations = expanded(request);
    if !relations.is_empty() && !asks_for_groups {
        query.push(("expand".to_owned(), relations.join(",")));
    }
    query
}

/// Whether the page is a form of its list, which shows no rows of it.
pub(crate) fn is_form_of_list(request: &PageRequest) -> bool {
    let create = request.action_of("POST");
    match request.view {
        PageView::New => create.is_some(),
        PageView::Import => create.is_some_and(|create| create.max_bulk.is_some()),
        PageView::Show | PageView::Edit | PageView::Delete | PageView::Explain | PageView::Json => false,
    }
}

fn has(request: &PageRequest, names: &[&str]) -> bool {
    let mut pairs = request.query.iter();
    pairs.any(|(name, _)| names.contains(&name.as_str()))
}

/// Whether the size of a page is left open. The api rejects a count without a page, so the page does too.
fn takes_size(request: &PageRequest, list: &ListOptions) -> bool {
    let is_limited = list.page_size.or(list.max_rows).is_some();
    request.action.is_some()
        && !has(request, &SIZE_PARAMETERS)
        && (has(request, &["page"]) || !has(request, &["count"]) || is_limited)
}

/// Relations to one object that the page expands.
fn expanded(request: &PageRequest) -> Vec<&str> {
    let action = request.action.as_deref().filter(|action| {
        let is_read = matches!(action.route.operation, Some(Operation::Get | Operation::List));
        is_read && !has(request, &["expand", "fields"])
    });
    let fields = action.and_then(|action| action.response.as_deref());
    let fields = fields.into_iter().flat_map(|response| &response.output);
    let single = fields.filter(|field| {
        let is_single = matches!(field.value, OutputValue::Related { is_many: false, .. });
        field.is_expandable && is_single
    });
    let names = single.map(|field| field.name.as_str());
    names.take(MAX_EXPANDED).collect()
}
