//! Changes of several rows of a list at once.

use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::ObjectSchema;
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::format::ValueKind;
use crate::pages::list::filter_names::is_filter;
use crate::pages::list::pager::Pager;
use crate::pages::naming;
use crate::pages::required_headers::{requires_key, requires_version};
use crate::pages::site::{self, Site};
use crate::pages::urls::PageQuery;

/// Maximum rows that can be selected on all pages together: they are changed by requests of one browser.
const MAX_MATCHING: u64 = 10_000;
/// Maximum if the version of each row is read before, by a request of its own.
const MAX_VERSIONED: u64 = 1000;
/// Keys per request, with which a script finds the rows of all pages.
const KEYS: u64 = 1000;

/// Changes of several rows at once.
#[derive(Debug, Serialize)]
pub(crate) struct SeveralRows {
    /// Path of the list.
    list_url: String,
    /// Path of an item before its key.
    item_url: String,
    key: String,
    /// Whether the key is a string in JSON.
    has_text_key: bool,
    can_patch: bool,
    can_delete: bool,
    bulk_patch: bool,
    bulk_delete: bool,
    /// Whether the changes are sent with an `Idempotency-Key`.
    is_keyed: bool,
    /// Whether the changes need the version of each row.
    is_versioned: bool,
    max: usize,
    envelope: String,
    envelope_one: String,
    actions: Vec<SeveralAction>,
    /// All rows that the filters find, if they are on several pages.
    matching: Option<MatchingRows>,
}

impl SeveralRows {
    /// Changes that can be made to all rows that the filters find too, if they are on several pages.
    pub(crate) fn with_matching(
        mut self,
        action: &ActionDescription,
        query: &PageQuery,
        pager: &Pager,
        shown: usize,
    ) -> Self {
        // A list that finds its rows itself need not know cursors.
        let has_cursors = action.list.as_ref().is_some_and(|list| !list.filters.is_empty());
        let total = pager.total.filter(|total| has_cursors && *total > shown as u64);
        self.matching = total.map(|total| MatchingRows::new(&self, query, total));
        self
    }
}

/// Action of the application on selected rows.
#[derive(Debug, Serialize)]
struct SeveralAction {
    label: String,
    /// URL with the key as `{key}`; empty for a change of fields.
    url: String,
    body: String,
    /// Whether it is sent with an `Idempotency-Key`.
    is_keyed: bool,
    /// Whether it needs the version of each row.
    is_versioned: bool,
}

/// All rows that the filters of a list find.
#[derive(Debug, Serialize)]
struct MatchingRows {
    /// First page of their keys, by cursor.
    url: String,
    /// Maximum number of them.
    max: u64,
    /// Text of the button that selects them.
    label: String,
    /// Text when they are selected.
    selected: String,
}

impl MatchingRows {
    /// Rows of all pages. The order and the columns of the page are left out, since only the keys are read.
    fn new(several: &SeveralRows, query: &PageQuery, total: u64) -> Self {
        let filters = query.0.iter().filter(|(name, _)| is_filter(name));
        let keys = PageQuery(filters.cloned().collect())
            .with("fields", several.key.clone())
            .with("limit", KEYS.to_string())
            .with("cursor", "");
        let max = if several.is_versioned {
            MAX_VERSIONED
        } else {
            MAX_MATCHING
        };
        let number = naming::grouped(total.min(max));
        let which = match total {
            total if total > max => format!("the first {number} that match"),
            _ => format!("all {number} that match"),
        };
        Self {
            url: keys.url(&several.list_url),
            max,
            label: format!("Select {which}"),
            selected: format!("Selected: {which}"),
        }
    }
}

/// Changes of several rows that the caller may make, if there are any.
pub(crate) fn several_rows(
    site: &Site<'_>,
    list: &ActionDescription,
    schema: &ObjectSchema,
) -> Option<SeveralRows> {
    let item = site.item_of_list(list)?;
    let key = site.key_name(item, schema)?;
    let can = |method| site.action(&item.route.url, method).is_some();
    let bulk = |method| {
        site.action(&list.route.url, method)
            .filter(|action| action.route.bulk)
    };
    let (patch, delete) = (bulk("PATCH"), bulk("DELETE"));
    let single = ["PATCH", "DELETE"].map(|method| site.action(&item.route.url, method));
    let writes: Vec<_> = single.into_iter().chain([patch, delete]).flatten().collect();
    let can_patch = can("PATCH") || patch.is_some();
    let can_delete = can("DELETE") || delete.is_some();
    let actions = several_actions(site, list, can_patch);
    if !can_patch && !can_delete && actions.is_empty() {
        return None;
    }
    let envelope = schema.envelope.as_ref();
    let path = &site.request.path;
    Some(SeveralRows {
        list_url: path.clone(),
        item_url: format!("{}/", path.trim_end_matches('/')),
        key: key.to_owned(),
        has_text_key: site::columns(schema)
            .any(|(field, data_type)| field.name == key && is_string(data_type)),
        can_patch,
        can_delete,
        actions,
        bulk_patch: patch.is_some(),
        bulk_delete: delete.is_some(),
        is_keyed: writes.iter().any(|action| requires_key(action)),
        is_versioned: writes.iter().any(|action| requires_version(action)),
        max: patch.or(delete).and_then(|action| action.max_bulk).unwrap_or(100),
        envelope: envelope.map(|envelope| envelope.many.clone()).unwrap_or_default(),
        matching: None,
        envelope_one: envelope.map(|envelope| envelope.one.clone()).unwrap_or_default(),
    })
}

/// Whether values of a type are strings in JSON.
fn is_string(data_type: DataType) -> bool {
    let kind = ValueKind::Column(data_type);
    matches!(data_type, DataType::Decimal { .. }) || !kind.is_number() && data_type != DataType::Bool
}

/// Actions that the caller may use.
fn several_actions(site: &Site<'_>, list: &ActionDescription, can_patch: bool) -> Vec<SeveralAction> {
    let item = site
        .item_of_list(list)
        .map(|item| item.route.url.as_str())
        .unwrap_or_default();
    let base = site.request.path.trim_end_matches('/');
    let options = site.options(list).into_iter();
    let actions = options.flat_map(|options| &options.actions);
    let usable = actions.filter_map(|action| {
        let mut shown = SeveralAction {
            label: action.label.clone(),
            url: String::new(),
            body: action.body.clone(),
            is_keyed: false,
            is_versioned: false,
        };
        let Some(path) = &action.path else {
            return can_patch.then_some(shown);
        };
        let post = site.action(&format!("{item}/{path}"), "POST")?;
        shown.is_keyed = requires_key(post);
        shown.is_versioned = requires_version(post);
        shown.url = format!("{base}/{{key}}/{path}");
        Some(shown)
    });
    usable.collect()
}
