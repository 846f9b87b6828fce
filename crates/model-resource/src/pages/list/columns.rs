//! Columns of a list's table.

use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{ObjectSchema, OutputSchema, OutputValue};
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::format::ValueKind;
use crate::pages::list::order::{SortedBy, heading_url, sorted_by};
use crate::pages::naming;
use crate::pages::site::{self, Site};
use crate::pages::urls::PageQuery;

/// Maximum columns of a table, unless the request or the options choose them.
const MAX_COLUMNS: usize = 8;

/// Column of a table.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ListColumn {
    pub(crate) name: String,
    pub(crate) label: String,
    #[serde(skip)]
    pub(crate) kind: ValueKind,
    /// Whether the table shows it.
    pub(crate) is_shown: bool,
    /// `ascending` or `descending` if the list is sorted by it, `none` if it can be, else empty.
    pub(crate) order: &'static str,
    /// Position among several columns that the list is sorted by, from 1; 0 if there is one or none.
    pub(crate) priority: usize,
    /// Field that the list is sorted by for the column: of a foreign key the label of the referenced object.
    #[serde(skip)]
    pub(crate) sort_name: String,
    /// Link that sorts by it.
    pub(crate) sort_url: String,
}

/// Columns that a list has, in their order.
pub(crate) fn all_columns(site: &Site<'_>, list: &ActionDescription) -> Vec<ListColumn> {
    let Some(schema) = list.response.as_deref() else {
        return Vec::new();
    };
    let fields = schema.output.iter().filter(|field| !field.is_expandable);
    let columns = fields.map(|field| {
        let label = site.field_label(list, &field.name, &field.label, site::reference(field));
        let column = column(field, label);
        ListColumn {
            sort_name: sort_name(site, schema, &field.name, column.kind),
            ..column
        }
    });
    columns.collect()
}

/// Columns of related objects inside another one, in their order.
pub(crate) fn related_columns(fields: &[OutputSchema]) -> Vec<ListColumn> {
    let fields = fields.iter().filter(|field| !field.is_expandable);
    let columns = fields.map(|field| {
        let label = naming::field_words(&field.name, &field.label, site::reference(field));
        column(field, label)
    });
    columns.collect()
}

/// Column without an order.
fn column(field: &OutputSchema, label: String) -> ListColumn {
    ListColumn {
        name: field.name.clone(),
        label,
        kind: ValueKind::of(field),
        sort_name: field.name.clone(),
        is_shown: false,
        order: "",
        priority: 0,
        sort_url: String::new(),
    }
}

/// Field that a list is sorted by for a column: `category.name` for `categoryId`, if the objects have the relation.
fn sort_name(site: &Site<'_>, schema: &ObjectSchema, field: &str, kind: ValueKind) -> String {
    let label = match kind {
        ValueKind::Reference(model) => related_label(site, schema, field, model),
        _ => None,
    };
    label.unwrap_or_else(|| field.to_owned())
}

fn related_label(site: &Site<'_>, schema: &ObjectSchema, field: &str, model: &str) -> Option<String> {
    let relation = field.strip_suffix("Id").or_else(|| field.strip_suffix("_id"))?;
    let related = schema.output.iter().find(|field| field.name == relation)?;
    let OutputValue::Related {
        model: related_model,
        is_many: false,
        fields,
        ..
    } = &related.value
    else {
        return None;
    };
    let item = site.item(model).filter(|_| *related_model == model)?;
    let label = site.label_name(item, item.response.as_deref()?)?;
    let is_label =
        |field: &OutputSchema| field.name == label && matches!(field.value, OutputValue::Column { .. });
    fields.iter().any(is_label).then(|| format!("{relation}.{label}"))
}

/// Names of the columns that a table shows if nothing else is chosen: the key, the label and short values.
pub(crate) fn default_columns(site: &Site<'_>, list: &ActionDescription) -> Vec<String> {
    let chosen = site.options(list).map(|options| options.columns.clone());
    let (None | Some([]), Some(schema)) = (chosen.as_deref(), list.response.as_deref()) else {
        return chosen.unwrap_or_default();
    };
    let create = site.action(&list.route.url, "POST");
    let input = create.and_then(|create| create.request.as_deref());
    let label = site.label_name(list, schema);
    let is_short = |value: &OutputValue| match value {
        OutputValue::Column {
            data_type,
            is_long_text,
            ..
        } => !matches!(data_type, DataType::Json | DataType::Bytes) && !is_long_text,
        OutputValue::RelatedValues { data_type, .. } => {
            !matches!(data_type, DataType::Json | DataType::Bytes)
        }
        OutputValue::Related { is_many, .. } => *is_many,
        _ => false,
    };
    let fields = schema.output.iter();
    let short = fields.filter(|field| !field.is_expandable && is_short(&field.value));
    let short: Vec<&str> = short.map(|field| field.name.as_str()).collect();
    let key = site.primary_key_name(schema);
    let is_input =
        |name: &&str| input.is_some_and(|input| input.input.iter().any(|input| input.name == *name));
    let (inputs, derived): (Vec<&str>, Vec<&str>) = short.iter().copied().partition(is_input);
    let first = key.into_iter().chain(label);
    let mut names: Vec<String> = Vec::new();
    for name in first.chain(inputs).chain(derived) {
        if names.len() < MAX_COLUMNS && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Columns of a list with those of the request marked as shown, the shown ones first.
pub(crate) fn list_columns(
    site: &Site<'_>,
    action: &ActionDescription,
    chosen: &[String],
    query: &PageQuery,
) -> Vec<ListColumn> {
    let path = site.request.path.as_str();
    let mut columns = all_columns(site, action);
    let requested: Option<Vec<String>> = query
        .get("fields")
        .map(|fields| fields.split(',').map(|name| name.trim().to_owned()).collect());
    let shown = requested.as_deref().unwrap_or(chosen);
    let place = |name: &str| shown.iter().position(|known| known == name);
    for column in &mut columns {
        column.is_shown = place(&column.name).is_some();
        add_order(column, action, query, path);
    }
    columns.sort_by_key(|column| place(&column.name).unwrap_or(usize::MAX));
    columns
}

fn add_order(column: &mut ListColumn, action: &ActionDescription, query: &PageQuery, path: &str) {
    let mut filters = action.list.iter().flat_map(|list| &list.filters);
    let is_sortable = filters.any(|filter| filter.field == column.name && filter.data_type != DataType::Json);
    if !is_sortable {
        return;
    }
    let default: Vec<SortedBy> = action
        .list
        .iter()
        .flat_map(|list| list.order.iter().map(|key| SortedBy::parse(key)))
        .collect();
    let asked = sorted_by(query);
    let keys = if asked.is_empty() { &default } else { &asked };
    if keys.iter().any(|key| key.name == column.name) {
        column.sort_name.clone_from(&column.name);
    }
    let position = keys.iter().position(|key| key.name == column.sort_name);
    column.order = position.map_or("none", |position| keys[position].direction());
    column.priority = match position {
        Some(position) if keys.len() > 1 => position + 1,
        _ => 0,
    };
    column.sort_url = heading_url(query, path, &column.sort_name, &default);
}
