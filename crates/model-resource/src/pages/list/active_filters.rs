//! Filters of the request as chips that can be removed.

use serde::Serialize;

use crate::pages::format::ValueKind;
use crate::pages::labels::{Labels, ReferencedKeys};
use crate::pages::list::columns::ListColumn;
use crate::pages::list::filter_names::{is_filter, split_name};
use crate::pages::list::quick_filters::QuickFilter;
use crate::pages::naming;
use crate::pages::urls::PageQuery;

/// Filter of the request.
#[derive(Debug, Serialize)]
pub(crate) struct Chip {
    pub(crate) label: String,
    pub(crate) operator: String,
    pub(crate) value: String,
    /// Link to the list without it.
    pub(crate) remove_url: String,
}

/// Objects that the filters name by their keys.
pub(crate) fn add_references(query: &PageQuery, columns: &[ListColumn], references: &mut ReferencedKeys) {
    for (name, value) in &query.0 {
        let (field, operator) = split_name(name);
        let column = columns.iter().find(|column| column.name == field);
        if let Some(ValueKind::Reference(model)) = column.map(|column| column.kind)
            && matches!(operator, "eq" | "ne" | "in" | "nin")
            && value.len() < 200
        {
            let keys = value.split(',').map(str::to_owned);
            references.entry(model).or_default().extend(keys);
        }
    }
}

/// Chips of the request's filters. A period of the quick filters is one chip, although it has two ends.
pub(crate) fn chips(
    query: &PageQuery,
    path: &str,
    columns: &[ListColumn],
    labels: &Labels,
    quick: &[QuickFilter],
) -> Vec<Chip> {
    let filters = query
        .0
        .iter()
        .enumerate()
        .filter(|(_, (name, _))| is_filter(name));
    let chips = filters.filter_map(|(position, (name, value))| {
        let (field, operator) = split_name(name);
        let group = quick.iter().find(|group| group.field == field);
        if let Some((group, (period, remove_url))) = group.and_then(|group| Some((group, group.period()?))) {
            return (operator == "gte").then(|| Chip {
                label: group.label.clone(),
                operator: String::new(),
                value: period.to_owned(),
                remove_url: remove_url.to_owned(),
            });
        }
        let rest = query.without_position(position);
        let remove_url = rest.first_page().url(path);
        Some(chip(name, value, remove_url, columns, labels))
    });
    chips.collect()
}

fn chip(name: &str, value: &str, remove_url: String, columns: &[ListColumn], labels: &Labels) -> Chip {
    let (field, operator) = split_name(name);
    let column = columns.iter().find(|column| column.name == field);
    let label = match (name, column) {
        ("q", _) => "Search".to_owned(),
        ("or", _) => "Any of".to_owned(),
        ("and", _) => "All of".to_owned(),
        ("not", _) => "Not".to_owned(),
        (_, Some(column)) => column.label.clone(),
        (_, None) => naming::words(field),
    };
    let shown = |text: &str| match column.map(|column| column.kind) {
        Some(ValueKind::Reference(model)) => labels.label(model, text).unwrap_or(text).to_owned(),
        _ => match text {
            "true" if operator != "isnull" => "Yes".to_owned(),
            "false" if operator != "isnull" => "No".to_owned(),
            other => other.to_owned(),
        },
    };
    let (operator, value) = match (operator, value) {
        ("isnull", "true") => ("is empty", String::new()),
        ("isnull", _) => ("is not empty", String::new()),
        ("in" | "nin" | "between", list) => {
            let values: Vec<String> = list.split(',').map(shown).collect();
            (naming::operator_words(operator), values.join(", "))
        }
        ("eq", value) if matches!(name, "q" | "or" | "and" | "not") => ("", value.to_owned()),
        (operator, value) => (naming::operator_words(operator), shown(value)),
    };
    Chip {
        label,
        operator: operator.to_owned(),
        value,
        remove_url,
    }
}
