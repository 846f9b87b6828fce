//! Lists that belong to an object: those below its URL, and those of models that reference it.

use futures_util::future::join_all;
use minijinja::Value as Html;
use model_resource_schema::column::OnDelete;
use model_resource_schema::serializer::OutputValue;
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::content::Fetch;
use crate::pages::labels::{Labels, contained};
use crate::pages::list::{
    ListColumn, TableRows, all_columns, default_columns, filter_name, push_table, references,
};
use crate::pages::naming;
use crate::pages::page_json::PageJson;
use crate::pages::site::{self, Site};
use crate::pages::urls::{PageQuery, same_shape};

/// Maximum lists on the page of an object.
const MAX_LISTS: usize = 8;
/// Maximum columns of each list, apart from a long text.
const MAX_COLUMNS: usize = 5;
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

/// List that belongs to an object, by one foreign key.
pub(crate) struct ChildSource<'a> {
    pub(crate) list: &'a ActionDescription,
    pub(crate) title: String,
    /// Path of the list, without the prefix of outer routers.
    pub(crate) path: String,
    /// Filter that selects the rows of the object; empty below its URL.
    pub(crate) filter: PageQuery,
    /// Foreign key by which the rows reference the object; `None` if it is unknown or the caller does not see it.
    foreign_key: Option<ForeignKey<'a>>,
}

/// Field that references an object.
#[derive(Clone, Copy)]
struct ForeignKey<'a> {
    field: &'a str,
    on_delete: Option<OnDelete>,
}

impl ChildSource<'_> {
    /// Action on the rows when the object is deleted, if the caller sees the foreign key.
    pub(crate) fn on_delete(&self) -> Option<OnDelete> {
        self.foreign_key?.on_delete
    }

    /// Whether these are the rows of a model with this foreign key.
    fn has(&self, model: Option<&str>, field: &str) -> bool {
        let is_same = self.foreign_key.is_none_or(|key| key.field == field);
        self.list.model == model && is_same
    }
}

/// Lists below the URL of an object, and the lists of models that reference it, one for each foreign key.
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
            let column = action.parameters.last().and_then(|last| last.column.as_deref());
            sources.push(ChildSource {
                list: action,
                title: site.list_title(action),
                path: format!("{}/{name}", site.path().trim_end_matches('/')),
                filter: PageQuery::default(),
                foreign_key: foreign_keys(action, item).find(|key| Some(key.field) == column),
            });
        }
    }
    let schema = item.response.as_deref();
    let key = schema.and_then(|schema| object.get(site.primary_key_name(schema)?));
    let Some(key) = key.and_then(site::key_text) else {
        return sources;
    };
    for list in site.collections() {
        let is_only = foreign_keys(list, item).count() == 1;
        for foreign_key in foreign_keys(list, item).filter(|key| can_filter(list, key.field)) {
            let field = foreign_key.field;
            let is_known = sources.iter().any(|source| source.has(list.model, field));
            let Some(path) = site.fill(&list.route.url, &[]).filter(|_| !is_known) else {
                continue;
            };
            sources.push(ChildSource {
                list,
                title: match site.list_title(list) {
                    title if is_only => title,
                    title => format!("{title} ({})", naming::reference_words(field).to_lowercase()),
                },
                path,
                filter: PageQuery(vec![(filter_name(field, "eq"), key.clone().into_owned())]),
                foreign_key: Some(foreign_key),
            });
        }
    }
    sources
}

/// Fields of a list by which its rows reference the model of an item.
fn foreign_keys<'a>(
    list: &'a ActionDescription,
    item: &ActionDescription,
) -> impl Iterator<Item = ForeignKey<'a>> {
    let model = item.model;
    let fields = list.response.iter().flat_map(|schema| &schema.output);
    fields.filter_map(move |field| match field.value {
        OutputValue::Column {
            references: Some(references),
            on_delete,
            ..
        } if Some(references) == model => Some(ForeignKey {
            field: &field.name,
            on_delete,
        }),
        _ => None,
    })
}

fn can_filter(list: &ActionDescription, field: &str) -> bool {
    let mut filters = list.list.iter().flat_map(|list| &list.filters);
    filters.any(|filter| filter.field == field)
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
    let columns = child_columns(site, list, source.foreign_key);
    let references = references(rows, &columns);
    let labels = Labels::load(site, fetch, references, &contained(rows, schema)).await;
    let url = site.href(&source.path);
    let create = site.action(&list.route.url, "POST");
    let row_item = site
        .item_of_list(list)
        .filter(|item| site.action(&item.route.url, "GET").is_some());
    let table = TableRows {
        rows,
        columns: &columns,
        labels: &labels,
        items: row_item.map(|_| format!("{url}/")),
        key: row_item.and_then(|item| site.key_name(item, schema)),
        converter: row_item.and_then(site::key_converter),
        label: site.label_name(list, schema),
        is_selectable: false,
    };
    let title = source.title;
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
fn child_columns(
    site: &Site<'_>,
    list: &ActionDescription,
    foreign_key: Option<ForeignKey<'_>>,
) -> Vec<ListColumn> {
    let is_parent = |name: &str| foreign_key.is_some_and(|key| key.field == name);
    let mut names = default_columns(site, list);
    names.retain(|name| !is_parent(name));
    names.truncate(MAX_COLUMNS);
    // Short rows say little without their text, such as that of a comment.
    let fields = list.response.iter().flat_map(|schema| &schema.output);
    let mut texts = fields.filter(|field| is_long_text(&field.value));
    names.extend(texts.next().map(|field| field.name.clone()));
    let mut columns = all_columns(site, list);
    columns.retain(|column| names.contains(&column.name));
    columns.sort_by_key(|column| names.iter().position(|name| *name == column.name));
    columns
}

fn is_long_text(value: &OutputValue) -> bool {
    matches!(
        value,
        OutputValue::Column {
            is_long_text: true,
            ..
        }
    )
}
