//! Lists that belong to an object: those below its URL, and those of models that reference it.

use futures_util::future::join_all;
use minijinja::Value as Html;
use model_resource_schema::column::OnDelete;
use model_resource_schema::serializer::OutputValue;
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::content::Fetch;
use crate::pages::labels::{Labels, contained};
use crate::pages::list::{ListColumn, TableRows, all_columns, default_columns, push_table};
use crate::pages::naming;
use crate::pages::page_json::PageJson;
use crate::pages::site::{self, Site};
use crate::pages::urls::{PageQuery, same_shape};

/// Maximum lists on the page of an object.
const MAX_LISTS: usize = 8;
/// Rows of each list.
const ROWS: &str = "5";

/// List that belongs to an object.
#[derive(Serialize)]
pub(crate) struct ChildList {
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) new_url: Option<String>,
    pub(crate) total: Option<u64>,
    pub(crate) table: Option<Html>,
}

/// Place of a list that belongs to an object.
pub(crate) struct ChildSource<'a> {
    pub(crate) list: &'a ActionDescription,
    /// Path of the list, without the prefix that a proxy strips.
    pub(crate) path: String,
    /// Filter that selects the rows of the object; empty below its URL.
    pub(crate) filter: PageQuery,
    /// Action on the rows when the object is deleted, if the caller sees the foreign key.
    pub(crate) on_delete: Option<OnDelete>,
}

/// Lists below the URL of an object, and lists of models that it has many of.
pub(crate) fn child_sources<'a>(
    site: &Site<'a>,
    item: &ActionDescription,
    object: &PageJson<'_>,
) -> Vec<ChildSource<'a>> {
    let mut sources: Vec<ChildSource<'a>> = Vec::new();
    for action in &site.api.actions {
        let parent = action.route.url.rsplit_once('/').map(|(parent, _)| parent);
        let is_below = parent.is_some_and(|parent| same_shape(parent, &item.route.url));
        if action.list.is_some() && action.route.method == "GET" && is_below {
            let name = action.route.url.rsplit('/').next().unwrap_or_default();
            sources.push(ChildSource {
                list: action,
                path: format!("{}/{name}", site.path().trim_end_matches('/')),
                filter: PageQuery::default(),
                on_delete: on_delete(action, item),
            });
        }
    }
    let Some(key) = object.get("id").and_then(site::key_text) else {
        return sources;
    };
    for list in site.collections() {
        let is_known = sources.iter().any(|source| source.list.model == list.model);
        if let Some(field) = foreign_key(list, item).filter(|_| !is_known)
            && let Some(path) = site.fill(&list.route.url, &[])
        {
            let filter = PageQuery(vec![(field.to_owned(), key.clone().into_owned())]);
            let on_delete = on_delete(list, item);
            sources.push(ChildSource {
                list,
                path,
                filter,
                on_delete,
            });
        }
    }
    sources
}

/// Action on the rows of a list when an object that they reference is deleted.
fn on_delete(list: &ActionDescription, item: &ActionDescription) -> Option<OnDelete> {
    let mut fields = list.response.as_deref()?.output.iter();
    fields.find_map(|field| match field.value {
        OutputValue::Column {
            references,
            on_delete,
            ..
        } if references.is_some() && references == item.model => on_delete,
        _ => None,
    })
}

/// Field of a list by which its rows reference a model.
fn foreign_key<'l>(list: &'l ActionDescription, item: &ActionDescription) -> Option<&'l str> {
    let schema = list.response.as_deref()?;
    let fields = schema.output.iter().filter(|field| match field.value {
        OutputValue::Column { references, .. } => references.is_some() && references == item.model,
        _ => false,
    });
    let filters = &list.list.as_ref()?.filters;
    let mut names = fields.map(|field| field.name.as_str());
    names.find(|name| filters.iter().any(|filter| filter.field == **name))
}

/// Reads the first rows of each list.
pub(crate) async fn child_lists(
    site: &Site<'_>,
    item: &ActionDescription,
    object: &PageJson<'_>,
    fetch: &dyn Fetch,
) -> Vec<ChildList> {
    let sources = child_sources(site, item, object).into_iter().take(MAX_LISTS);
    let lists = sources.map(|source| child_list(site, item, source, fetch));
    join_all(lists).await.into_iter().flatten().collect()
}

async fn child_list(
    site: &Site<'_>,
    item: &ActionDescription,
    source: ChildSource<'_>,
    fetch: &dyn Fetch,
) -> Option<ChildList> {
    let (list, schema) = (source.list, source.list.response.as_deref()?);
    let related = schema.output.iter().filter(|field| {
        field.is_expandable && matches!(field.value, OutputValue::Related { is_many: false, model, .. } if Some(model) != item.model)
    });
    let expand: Vec<&str> = related.map(|field| field.name.as_str()).take(4).collect();
    let mut query = source.filter.with("page", "1").with("pageSize", ROWS);
    if !expand.is_empty() {
        query = query.with("expand", expand.join(","));
    }
    let content = fetch.get(query.url(&source.path)).await;
    if !content.status.is_success() {
        return None;
    }
    let json = content.json();
    let rows = site::list_rows(&json, Some(schema))?;
    let total = content.total();
    let labels = Labels::load(site, fetch, Default::default(), &contained(rows, schema)).await;
    let url = site.href(&source.path);
    let create = site.action(&list.route.url, "POST");
    let columns = child_columns(site, list, item);
    let row_item = site
        .item_of_list(list)
        .filter(|item| site.action(&item.route.url, "GET").is_some());
    let table = TableRows {
        rows,
        columns: &columns,
        labels: &labels,
        items: row_item.map(|_| format!("{url}/")),
        key: row_item.and_then(|item| site::key_name(item, schema)),
        converter: row_item.and_then(site::key_converter),
        label: site.label_name(list, schema),
        is_selectable: false,
    };
    let title = site.list_title(list);
    let new_query = source
        .filter
        .with("_view", "new")
        .with("_next", site.request.path.clone());
    Some(ChildList {
        table: (!rows.is_empty()).then(|| Html::from_safe_string(push_table(&table, &title))),
        new_url: create.map(|_| new_query.url(&url)),
        url: source.filter.url(&url),
        title,
        total,
    })
}

/// Columns of a list below an object, without the one that references the object.
fn child_columns(site: &Site<'_>, list: &ActionDescription, item: &ActionDescription) -> Vec<ListColumn> {
    let Some(schema) = list.response.as_deref() else {
        return Vec::new();
    };
    let names = default_columns(site, list);
    let is_parent = |name: &str| {
        let mut fields = schema.output.iter().filter(|field| field.name == name);
        fields.any(|field| site::reference(field).is_some_and(|model| Some(model) == item.model))
    };
    let mut columns = all_columns(site, list);
    columns.retain(|column| names.contains(&column.name) && !is_parent(&column.name));
    columns.sort_by_key(|column| names.iter().position(|name| *name == column.name));
    columns.truncate(6);
    columns
}

/// Number of rows in words, for the confirmation of a deletion.
pub(crate) fn counted_rows(total: u64) -> String {
    naming::counted(total, "row", "rows")
}
