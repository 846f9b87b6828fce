//! Page of a list.

use std::borrow::Cow;

use futures_util::future::join;
use minijinja::Value as Html;
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::content::{Fetch, PageContent};
use crate::pages::format::ValueKind;
use crate::pages::frame::{Frame, with_view};
use crate::pages::labels::{Labels, ReferencedKeys, contained};
use crate::pages::list::active_filters::{Chip, add_references, chips};
use crate::pages::list::columns::{ListColumn, default_columns, list_columns};
use crate::pages::list::filter_names::is_filter;
use crate::pages::list::filters::FilterForm;
use crate::pages::list::quick_filters::{MAX_VALUES, QuickFilter, quick_filters};
use crate::pages::list::rows::{ShownRows, explanation, exports, pager};
use crate::pages::list::several::{SeveralRows, several_rows};
use crate::pages::list::sort_menu::SortMenu;
use crate::pages::list::table::{TableRows, push_table};
use crate::pages::page_json::PageJson;
use crate::pages::settings::CompiledPages;
use crate::pages::site::{self, Site};
use crate::pages::urls::PageQuery;

/// Page of a list.
#[derive(Serialize)]
pub(crate) struct ListPage {
    frame: Frame,
    filters: FilterForm,
    quick: Vec<QuickFilter>,
    chips: Vec<Chip>,
    /// Link to the list without filters.
    clear_url: String,
    /// Link to the first page of the rows that the filters find.
    first_url: String,
    columns: Vec<ListColumn>,
    sort: SortMenu,
    #[serde(flatten)]
    rows: ShownRows,
    new_url: Option<String>,
    import_url: Option<String>,
    several: Option<SeveralRows>,
    /// Column by which rows link to their objects.
    key: Option<String>,
    explain_url: Option<String>,
}

/// Makes the page of a list. `None` if the response is not the list of objects that the description promises.
pub(crate) async fn list_page(
    pages: &CompiledPages,
    site: &Site<'_>,
    action: &ActionDescription,
    content: &PageContent<'_>,
    fetch: &dyn Fetch,
) -> Option<ListPage> {
    let schema = action.response.as_deref()?;
    let rows = site::list_rows(&content.json, Some(schema))?;
    let query = PageQuery(site.request.query.clone());
    let path = site.request.path.as_str();
    let create = site.action(&action.route.url, "POST");
    let columns = list_columns(site, action, &default_columns(site, action), &query);
    let shown = shown_columns(&columns);
    let mut references = references(rows, &shown);
    add_references(&query, &columns, &mut references);
    let many = with_many(&references);
    let (labels, quick) = join(
        Labels::load(site, fetch, references, &contained(rows, schema)),
        quick_filters(site, action, &columns, &query, &many, fetch),
    )
    .await;
    let pager = pager(pages, site, action, &query, content, rows.len());
    let several = several_rows(site, action, schema);
    let several = several.map(|several| several.with_matching(action, &query, &pager, rows.len()));
    let item = site.item_of_list(action);
    let title = site.list_title(action);
    let table = TableRows {
        items: item_path(site, action),
        key: item.and_then(|item| site.key_name(item, schema)),
        converter: item.and_then(site::key_converter),
        label: site.label_name(action, schema),
        is_selectable: several.is_some() && !rows.is_empty(),
        ..TableRows::unlinked(rows, &shown, &labels)
    };
    let key = table.key.map(str::to_owned);
    let rows = ShownRows {
        table: Html::from_safe_string(push_table(&table, &title)),
        is_empty: rows.is_empty(),
        pager,
        exports: exports(action, &query, path, &["count"]),
        explanation: explanation(site, &query, fetch).await,
    };
    Some(ListPage {
        filters: FilterForm::new(site, action, &columns, &query, &labels),
        chips: chips(&query, path, &columns, &labels, &quick),
        quick,
        clear_url: without_filters(&query).url(path),
        first_url: query.first_page().url(path),
        rows,
        new_url: create.map(|_| format!("{path}?_view=new")),
        import_url: import_url(create, path),
        several,
        key,
        explain_url: explain_url(site, action, &query),
        frame: Frame::new(pages, site, title),
        sort: SortMenu::new(&query, path, &columns),
        columns,
    })
}

/// Link to the import, if the caller may create several objects at once.
fn import_url(create: Option<&ActionDescription>, path: &str) -> Option<String> {
    let create = create.filter(|create| create.max_bulk.is_some());
    create.map(|_| format!("{path}?_view=import"))
}

fn shown_columns(columns: &[ListColumn]) -> Vec<ListColumn> {
    columns.iter().filter(|column| column.is_shown).cloned().collect()
}

/// Objects that the foreign keys in some columns reference.
pub(crate) fn references(rows: &[PageJson<'_>], columns: &[ListColumn]) -> ReferencedKeys {
    let mut references = ReferencedKeys::new();
    for column in columns {
        if let ValueKind::Reference(model) | ValueKind::References(model) = column.kind {
            let values = rows.iter().filter_map(|row| row.get(&column.name));
            let keys = values.flat_map(site::key_texts).map(Cow::into_owned);
            references.entry(model).or_default().extend(keys);
        }
    }
    references.retain(|_, keys| !keys.is_empty());
    references
}

/// Models of which the page shows more objects than a column has links.
fn with_many(references: &ReferencedKeys) -> Vec<&'static str> {
    let many = references.iter().filter(|(_, keys)| keys.len() > MAX_VALUES);
    many.map(|(model, _)| *model).collect()
}

/// Path of the list's items before their keys, if the caller may read them.
fn item_path(site: &Site<'_>, list: &ActionDescription) -> Option<String> {
    let item = site.item_of_list(list)?;
    if site.action(&item.route.url, "GET").is_some() {
        return Some(format!("{}/", site.request.path.trim_end_matches('/')));
    }
    None
}

fn without_filters(query: &PageQuery) -> PageQuery {
    let first = query.first_page().0.into_iter();
    PageQuery(first.filter(|(name, _)| !is_filter(name)).collect())
}

/// Link to the SQL of the list, for callers who see diagnostics.
fn explain_url(site: &Site<'_>, action: &ActionDescription, query: &PageQuery) -> Option<String> {
    let is_automatic = action.list.as_ref().is_some_and(|list| !list.filters.is_empty());
    let explains = site.request.sees_diagnostics && is_automatic;
    explains.then(|| with_view(query, "explain").url(&site.request.path))
}
