//! Rows of a table, written directly: a template would take most of the time of a large page.

use model_resource_schema::data_type::DataType;

use crate::pages::escape::{push_exact, push_text};
use crate::pages::format::{ValueKind, push_cell};
use crate::pages::labels::{Labels, text_of};
use crate::pages::list::columns::ListColumn;
use crate::pages::page_json::PageJson;
use crate::pages::site;
use crate::pages::urls::push_segment;
use crate::routing::Converter;

/// Rows of a table, and how they are linked and selected.
pub(crate) struct TableRows<'a> {
    pub(crate) rows: &'a [PageJson<'a>],
    pub(crate) columns: &'a [ListColumn],
    pub(crate) labels: &'a Labels,
    /// Path of the items before the key, if the caller can open them.
    pub(crate) items: Option<String>,
    /// Field with the key of an item's URL.
    pub(crate) key: Option<&'a str>,
    /// Converter of the key in an item's URL.
    pub(crate) converter: Option<Converter>,
    /// Field that names an object.
    pub(crate) label: Option<&'a str>,
    /// Whether rows can be selected.
    pub(crate) is_selectable: bool,
}

impl<'a> TableRows<'a> {
    /// Rows that are neither linked nor selected.
    pub(crate) fn unlinked(rows: &'a [PageJson<'a>], columns: &'a [ListColumn], labels: &'a Labels) -> Self {
        Self {
            rows,
            columns,
            labels,
            items: None,
            key: None,
            converter: None,
            label: None,
            is_selectable: false,
        }
    }

    /// Whether the object with this key has a URL.
    fn has_url(&self, key: &str) -> bool {
        let converter = self.converter.as_ref();
        converter.is_some_and(|converter| converter.takes(key))
    }
}

/// Bytes that a cell takes on average.
const CELL: usize = 90;

/// Writes the whole table.
pub(crate) fn push_table(table: &TableRows<'_>, caption: &str) -> String {
    let size = table.rows.len() * table.columns.len() * CELL + 1024;
    let mut out = String::with_capacity(size);
    out.push_str("<table class=\"rows\"><caption class=\"sr\">");
    push_text(&mut out, caption);
    out.push_str("</caption><thead><tr>");
    if table.is_selectable {
        out.push_str("<td class=\"select\"><input type=\"checkbox\" class=\"js\" data-select-all aria-label=\"Select all rows on this page\"></td>");
    }
    for column in table.columns {
        push_heading(&mut out, column);
    }
    out.push_str("</tr></thead><tbody>");
    // The cell that leads to the object: that of its label, or the first one.
    let heading = table
        .columns
        .iter()
        .position(|column| Some(column.name.as_str()) == table.label);
    let labels: Vec<String> = table.columns.iter().map(cell_start).collect();
    for row in table.rows {
        push_row(&mut out, table, row, heading.unwrap_or(0), &labels);
    }
    out.push_str("</tbody></table>");
    out
}

fn push_heading(out: &mut String, column: &ListColumn) {
    let is_sorted = matches!(column.order, "ascending" | "descending");
    let is_secondary = is_sorted && column.priority > 1;
    out.push_str("<th scope=\"col\"");
    if column.kind.is_number() {
        out.push_str(" class=\"number\"");
    }
    // Only one heading of a table may have `aria-sort`.
    if is_sorted {
        out.push_str(if is_secondary {
            " data-sort=\""
        } else {
            " aria-sort=\""
        });
        out.push_str(column.order);
        out.push('"');
    }
    out.push('>');
    if column.order.is_empty() {
        push_text(out, &column.label);
    } else {
        out.push_str("<a href=\"");
        push_exact(out, &column.sort_url);
        out.push_str("\">");
        push_text(out, &column.label);
        push_priority(out, column);
        out.push_str("</a>");
    }
    if column.kind == ValueKind::Column(DataType::Timestamp) {
        out.push_str(" <span class=\"unit\">UTC</span>");
    }
    out.push_str("</th>");
}

/// Appends the position of a column among several that the list is sorted by.
fn push_priority(out: &mut String, column: &ListColumn) {
    if column.priority == 0 {
        return;
    }
    out.push_str("<span class=\"priority\" aria-hidden=\"true\">");
    out.push_str(itoa::Buffer::new().format(column.priority));
    out.push_str("</span>");
    if column.priority > 1 {
        out.push_str("<span class=\"sr\">, then ");
        out.push_str(column.order);
        out.push_str("</span>");
    }
}

/// Attributes of a cell, which every row repeats.
fn cell_start(column: &ListColumn) -> String {
    let mut out = String::new();
    if column.kind.is_number() {
        out.push_str(" class=\"number\"");
    }
    out.push_str(" data-label=\"");
    push_exact(&mut out, &column.label);
    out.push_str("\">");
    out
}

fn push_row(
    out: &mut String,
    table: &TableRows<'_>,
    row: &PageJson<'_>,
    heading: usize,
    attributes: &[String],
) {
    let key = table.key.and_then(|name| row.get(name)).and_then(site::key_text);
    out.push_str("<tr>");
    if table.is_selectable {
        push_select(out, table, row, key.as_deref());
    }
    for (position, (column, attributes)) in table.columns.iter().zip(attributes).enumerate() {
        let value = row.get(&column.name).unwrap_or(&PageJson::Null);
        if position != heading {
            out.push_str("<td");
            out.push_str(attributes);
            push_cell(out, value, column.kind, table.labels);
            out.push_str("</td>");
            continue;
        }
        out.push_str("<th scope=\"row\"");
        out.push_str(attributes);
        let linked = key.as_deref().filter(|key| table.has_url(key));
        match (&table.items, linked) {
            (Some(items), Some(key)) => {
                out.push_str("<a href=\"");
                push_exact(out, items);
                push_segment(out, key);
                out.push_str("\">");
                push_row_label(out, value, key);
                out.push_str("</a>");
            }
            _ => push_cell(out, value, column.kind, table.labels),
        }
        out.push_str("</th>");
    }
    out.push_str("</tr>");
}

/// Appends the text of a row's link, which must not contain another link.
fn push_row_label(out: &mut String, value: &PageJson<'_>, key: &str) {
    match text_of(value) {
        Some(text) => crate::pages::format::push_short(out, &text),
        None => {
            out.push('#');
            push_text(out, key);
        }
    }
}

fn push_select(out: &mut String, table: &TableRows<'_>, row: &PageJson<'_>, key: Option<&str>) {
    out.push_str("<td class=\"select\">");
    if let Some(key) = key {
        out.push_str("<input type=\"checkbox\" class=\"js\" data-key=\"");
        push_exact(out, key);
        out.push_str("\" data-name=\"");
        let label = table.label.and_then(|name| row.get(name)).and_then(text_of);
        let label = label.unwrap_or_else(|| format!("#{key}").into());
        let end = label.char_indices().nth(60).map_or(label.len(), |(end, _)| end);
        push_exact(out, &label[..end]);
        out.push_str("\" aria-label=\"Select ");
        push_exact(out, &label[..end]);
        out.push_str("\">");
    }
    out.push_str("</td>");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn column(name: &str, data_type: DataType) -> ListColumn {
        ListColumn {
            name: name.to_owned(),
            label: name.to_owned(),
            sort_name: name.to_owned(),
            kind: ValueKind::Column(data_type),
            is_shown: true,
            order: "",
            priority: 0,
            sort_url: String::new(),
        }
    }

    fn table_of(row: &serde_json::Value) -> String {
        let row = row.to_string();
        let rows = &[PageJson::parse(row.as_bytes()).expect("it is JSON")];
        let columns = [column("id", DataType::I64), column("name", DataType::Text)];
        let table = TableRows {
            rows,
            columns: &columns,
            labels: &Labels::default(),
            items: Some("/things/".to_owned()),
            key: Some("id"),
            converter: Some(Converter::Int),
            label: Some("name"),
            is_selectable: true,
        };
        push_table(&table, "Things")
    }

    #[test]
    fn a_row_without_a_url_is_not_linked() {
        let table = table_of(&json!({"id": -1, "name": "Ann"}));
        assert!(!table.contains("href"), "{table}");
    }

    #[test]
    fn a_row_is_named_by_its_label_and_leads_to_its_object() {
        let table = table_of(&json!({"id": 7, "name": "Ann"}));
        assert!(
            table.contains("<th scope=\"row\" data-label=\"name\"><a href=\"/things/7\">Ann</a></th>"),
            "{table}"
        );
        assert!(table.contains("<td class=\"number\" data-label=\"id\">7</td>"));
        assert!(table.contains("data-key=\"7\" data-name=\"Ann\" aria-label=\"Select Ann\""));
    }

    #[test]
    fn markup_in_keys_and_labels_is_escaped() {
        let table = table_of(&json!({"id": "\"><b>", "name": "<script>"}));
        assert!(!table.contains("<b>") && !table.contains("<script>"), "{table}");
        assert!(table.contains("data-key=\"&quot;&gt;&lt;b&gt;\""), "{table}");
    }

    #[test]
    fn a_row_without_label_has_a_link_with_its_key() {
        assert!(table_of(&json!({"id": 7, "name": null})).contains("<a href=\"/things/7\">#7</a>"));
    }
}
