//! Values as markup: short in the cells of a table, complete on the page of an object.

use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{OutputSchema, OutputValue};
use serde::Serialize;

use crate::pages::escape::{external_url, is_email, push_exact, push_text};
use crate::pages::labels::Labels;
use crate::pages::naming;
use crate::pages::page_json::PageJson;
use crate::pages::site;

/// Maximum characters of a text in a cell.
const MAX_CELL: usize = 80;
/// Maximum items of an array in a cell.
const MAX_CELL_ITEMS: usize = 5;
/// Maximum items of an array on the page of an object.
const MAX_ITEMS: usize = 100;
/// Length from which a text is shown as a text block.
const LONG_TEXT: usize = 120;

/// Kind of a field's values, which decides their format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ValueKind {
    /// Value of a column.
    Column(DataType),
    /// Foreign key to a model.
    Reference(&'static str),
    /// Keys of several objects of a model.
    References(&'static str),
    /// Values of a column of several objects.
    Values(DataType),
    /// Related object of a model, or several.
    Related(&'static str),
    /// Value of unknown type.
    Other,
}

impl ValueKind {
    pub(crate) fn of(field: &OutputSchema) -> Self {
        match field.value {
            OutputValue::Column {
                references: Some(model),
                ..
            } => Self::Reference(model),
            OutputValue::Column { data_type, .. } => Self::Column(data_type),
            OutputValue::RelatedValues {
                model,
                is_many,
                are_keys: true,
                ..
            } => {
                if is_many {
                    Self::References(model)
                } else {
                    Self::Reference(model)
                }
            }
            OutputValue::RelatedValues {
                is_many: true,
                data_type,
                ..
            } => Self::Values(data_type),
            OutputValue::RelatedValues { data_type, .. } => Self::Column(data_type),
            OutputValue::Related { model, .. } => Self::Related(model),
            _ => Self::Other,
        }
    }

    /// Kind of the items of an array; `None` if they are not shown one after the other.
    fn of_item(self) -> Option<Self> {
        match self {
            Self::References(model) => Some(Self::Reference(model)),
            Self::Values(data_type) => Some(Self::Column(data_type)),
            Self::Related(model) => Some(Self::Related(model)),
            Self::Column(_) | Self::Reference(_) | Self::Other => None,
        }
    }

    /// Whether values are aligned at the right.
    pub(crate) fn is_number(self) -> bool {
        use DataType::{Decimal, F32, F64, I16, I32, I64};
        matches!(self, Self::Column(I16 | I32 | I64 | F32 | F64 | Decimal { .. }))
    }
}

/// Appends a value for a cell of a table.
pub(crate) fn push_cell(out: &mut String, value: &PageJson<'_>, kind: ValueKind, labels: &Labels) {
    match (value, kind) {
        (PageJson::Null, _) => push_null(out),
        (_, ValueKind::Reference(model)) => push_reference(out, value, model, labels),
        (PageJson::Array(items), kind) if are_listed(items, kind, labels) => {
            push_items(out, items, kind, labels, MAX_CELL_ITEMS);
        }
        (PageJson::Object(_), ValueKind::Related(model)) if labels.key(model, value).is_some() => {
            push_object(out, value, model, labels);
        }
        (PageJson::Bool(truth), _) => push_bool(out, *truth),
        (PageJson::Number(number), _) => push_number(out, number),
        (PageJson::String(text), ValueKind::Column(data_type)) => push_cell_text(out, text, data_type),
        (PageJson::String(text), _) => push_cell_text(out, text, DataType::Text),
        (PageJson::Array(_) | PageJson::Object(_), _) => {
            out.push_str("<code>");
            push_short(out, &summary(value));
            out.push_str("</code>");
        }
    }
}

/// Appends a complete value.
pub(crate) fn push_value(out: &mut String, value: &PageJson<'_>, kind: ValueKind, labels: &Labels) {
    match (value, kind) {
        (PageJson::Array(items), kind) if are_listed(items, kind, labels) => {
            push_items(out, items, kind, labels, MAX_ITEMS);
        }
        (PageJson::Object(_), ValueKind::Related(model)) if labels.key(model, value).is_some() => {
            push_object(out, value, model, labels);
        }
        (PageJson::Array(_) | PageJson::Object(_), _) => push_json(out, value),
        (_, ValueKind::Column(DataType::Json)) if *value != PageJson::Null => push_json(out, value),
        (PageJson::String(text), ValueKind::Column(DataType::Timestamp)) => {
            push_time(out, text, &timestamp(text, " UTC"));
        }
        (PageJson::String(text), ValueKind::Column(DataType::Text) | ValueKind::Other) => {
            push_whole_text(out, text);
        }
        _ => push_cell(out, value, kind, labels),
    }
}

/// Whether the items of an array are shown one after the other.
fn are_listed(items: &[PageJson<'_>], kind: ValueKind, labels: &Labels) -> bool {
    match kind {
        ValueKind::Related(model) => items.iter().all(|item| labels.key(model, item).is_some()),
        _ => kind.of_item().is_some(),
    }
}

/// Appends items, separated by commas, and how many more there are.
fn push_items(out: &mut String, items: &[PageJson<'_>], kind: ValueKind, labels: &Labels, max: usize) {
    if items.is_empty() {
        return push_null(out);
    }
    for (position, item) in items.iter().take(max).enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        push_cell(out, item, kind.of_item().unwrap_or(kind), labels);
    }
    if items.len() > max {
        out.push_str(", \u{2026} ");
        push_text(out, &naming::counted((items.len() - max) as u64, "more", "more"));
    }
}

/// Appends the label of a related object, with a link to it.
fn push_object(out: &mut String, object: &PageJson<'_>, model: &'static str, labels: &Labels) {
    match labels.key(model, object) {
        Some(key) => push_reference(out, &PageJson::String(key), model, labels),
        None => push_null(out),
    }
}

fn push_null(out: &mut String) {
    out.push_str("<span class=\"null\" title=\"empty\">\u{2013}</span>");
}

fn push_bool(out: &mut String, truth: bool) {
    out.push_str(if truth {
        "<span class=\"yes\">Yes</span>"
    } else {
        "<span class=\"no\">No</span>"
    });
}

fn push_number(out: &mut String, number: &serde_json::Number) {
    match number.as_i64() {
        Some(integer) => out.push_str(itoa::Buffer::new().format(integer)),
        None => push_text(out, &number.to_string()),
    }
}

fn push_reference(out: &mut String, value: &PageJson<'_>, model: &str, labels: &Labels) {
    let Some(key) = site::key_text(value) else {
        return push_null(out);
    };
    let label = labels.label(model, &key);
    let link = labels.link(model, &key);
    if let Some(link) = &link {
        out.push_str("<a href=\"");
        push_exact(out, link);
        out.push_str("\">");
    }
    match label {
        Some(label) => push_short(out, label),
        None => push_short(out, &key),
    }
    if link.is_some() {
        out.push_str("</a>");
    }
}

fn push_cell_text(out: &mut String, text: &str, data_type: DataType) {
    match data_type {
        DataType::Timestamp => push_time(out, text, &timestamp(text, "")),
        DataType::Date => push_time(out, text, text),
        DataType::Bytes => push_text(out, &naming::size(decoded_length(text))),
        DataType::Enum(_) => {
            out.push_str("<span class=\"badge\">");
            push_text(out, text);
            out.push_str("</span>");
        }
        DataType::Uuid => {
            out.push_str("<code class=\"uuid\">");
            push_text(out, text);
            out.push_str("</code>");
        }
        DataType::Json => {
            out.push_str("<code>");
            push_short(out, text);
            out.push_str("</code>");
        }
        _ if text.is_empty() => {
            out.push_str("<span class=\"null\" title=\"empty text\">\u{201c}\u{201d}</span>");
        }
        _ => push_linked(out, text, |out| push_short(out, text)),
    }
}

/// Appends a text, as a link if it is a URL or an e-mail address.
fn push_linked(out: &mut String, text: &str, content: impl FnOnce(&mut String)) {
    let is_address = text.contains('@') && is_email(text);
    let is_url = !is_address && text.contains("://") && external_url(text).is_some();
    if !is_address && !is_url {
        return content(out);
    }
    out.push_str(if is_address {
        "<a href=\"mailto:"
    } else {
        "<a rel=\"noopener noreferrer nofollow\" href=\""
    });
    push_exact(out, text);
    out.push_str("\">");
    content(out);
    out.push_str("</a>");
}

fn push_whole_text(out: &mut String, text: &str) {
    if text.is_empty() {
        return push_cell_text(out, text, DataType::Text);
    }
    if text.len() < LONG_TEXT && !text.contains('\n') {
        return push_linked(out, text, |out| push_text(out, text));
    }
    out.push_str("<div class=\"long\">");
    push_text(out, text);
    out.push_str("</div>");
}

/// Appends the beginning of a text.
pub(crate) fn push_short(out: &mut String, text: &str) {
    if text.len() <= MAX_CELL {
        return push_text(out, text);
    }
    match text.char_indices().nth(MAX_CELL) {
        Some((end, _)) => {
            push_text(out, text[..end].trim_end());
            out.push('\u{2026}');
        }
        None => push_text(out, text),
    }
}

fn push_time(out: &mut String, exact: &str, shown: &str) {
    out.push_str("<time datetime=\"");
    push_exact(out, exact);
    out.push_str("\">");
    push_text(out, shown);
    out.push_str("</time>");
}

/// Appends a JSON document in several lines.
pub(crate) fn push_json(out: &mut String, value: &impl Serialize) {
    let shown = serde_json::to_string_pretty(value).unwrap_or_default();
    out.push_str("<pre class=\"json\" tabindex=\"0\">");
    push_text(out, &shown);
    out.push_str("</pre>");
}

/// Time in minutes: `2026-03-01 12:30` of `2026-03-01T12:30:59.1Z`.
fn timestamp(text: &str, zone: &str) -> String {
    match (text.get(..10), text.get(11..16), text.ends_with('Z')) {
        (Some(day), Some(minute), true) => format!("{day} {minute}{zone}"),
        _ => text.to_owned(),
    }
}

/// Number of bytes in a base64 text.
pub(crate) fn decoded_length(text: &str) -> u64 {
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    let length = text.len() / 4 * 3;
    u64::try_from(length.saturating_sub(padding)).unwrap_or(u64::MAX)
}

/// A related object or a document in a few words.
fn summary(value: &PageJson<'_>) -> String {
    match value {
        PageJson::Array(items) => naming::counted(items.len() as u64, "item", "items"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use model_resource_schema::data_type::DataType;
    use serde_json::json;

    use super::*;

    fn cell(value: serde_json::Value, data_type: DataType) -> String {
        let (mut out, json) = (String::new(), value.to_string());
        let value = PageJson::parse(json.as_bytes()).expect("it is JSON");
        push_cell(&mut out, &value, ValueKind::Column(data_type), &Labels::default());
        out
    }

    fn whole(value: serde_json::Value, data_type: DataType) -> String {
        let (mut out, json) = (String::new(), value.to_string());
        let value = PageJson::parse(json.as_bytes()).expect("it is JSON");
        push_value(&mut out, &value, ValueKind::Column(data_type), &Labels::default());
        out
    }

    #[test]
    fn values_are_formatted_by_their_type() {
        assert_eq!(
            cell(json!(9_007_199_254_740_993_i64), DataType::I64),
            "9007199254740993"
        );
        assert!(cell(json!(true), DataType::Bool).contains("Yes"));
        assert!(cell(json!("AAAA"), DataType::Bytes).contains("3 bytes"));
        assert_eq!(
            cell(json!("2026-03-01T12:30:59.5Z"), DataType::Timestamp),
            "<time datetime=\"2026-03-01T12:30:59.5Z\">2026-03-01 12:30</time>"
        );
        assert!(whole(json!("2026-03-01T12:30:59Z"), DataType::Timestamp).contains("12:30 UTC"));
    }

    #[test]
    fn only_safe_urls_are_links() {
        assert!(
            cell(json!("https://example.com/?a=b&c"), DataType::Text)
                .contains("href=\"https://example.com/?a=b&amp;c\"")
        );
        assert!(cell(json!("ann@example.com"), DataType::Text).contains("href=\"mailto:ann@example.com\""));
        assert_eq!(
            cell(json!("javascript://%0aalert(1)"), DataType::Text),
            "javascript://%0aalert(1)"
        );
        assert_eq!(
            cell(json!("https://a\"b"), DataType::Text),
            "<a rel=\"noopener noreferrer nofollow\" href=\"https://a&quot;b\">https://a&quot;b</a>"
        );
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let shown = cell(json!("\u{e4}".repeat(90)), DataType::Text);
        assert_eq!(shown, format!("{}\u{2026}", "\u{e4}".repeat(80)));
    }

    #[test]
    fn documents_are_escaped() {
        assert_eq!(
            whole(json!({"a": "<b>"}), DataType::Json),
            "<pre class=\"json\" tabindex=\"0\">{\n  &quot;a&quot;: &quot;&lt;b&gt;&quot;\n}</pre>"
        );
    }
}
