//! Columns whose values end item URLs, and the values that they cannot have.

use foldhash::HashMap;
use model_resource_schema::column::{Table, TableId};
use model_resource_schema::data_type::DataType;
use model_resource_schema::message::{Message, code};
use percent_encoding::utf8_percent_encode;

use crate::routing::converter::Converter;
use crate::routing::rule::{SEGMENT, SegmentPattern};

/// Maximum length of a value in a URL, in bytes after percent-encoding.
const MAX_LENGTH: usize = 2048;

/// Text columns by which the item URLs of each model identify rows.
#[derive(Debug, Default)]
pub(crate) struct ItemColumns(HashMap<TableId, Vec<(usize, SegmentPattern)>>);

impl ItemColumns {
    /// Adds a column that an item URL has a parameter of this pattern for.
    pub(crate) fn insert(&mut self, table: &'static Table, column: usize, pattern: &SegmentPattern) {
        if table.columns[column].data_type == DataType::Text {
            let columns = self.0.entry(table.id()).or_default();
            columns.push((column, pattern.clone()));
        }
    }

    /// Columns of a model and their patterns, one for each URL.
    pub(crate) fn of(&self, table: &'static Table) -> &[(usize, SegmentPattern)] {
        let columns = self.0.get(&table.id());
        columns.map_or(&[], Vec::as_slice)
    }
}

impl SegmentPattern {
    /// Returns the message for a value that cannot identify its row in a URL. Clients resolve `.` and `..`,
    /// percent-encoded or not, a trailing slash makes no difference, and servers limit the length of URLs.
    pub(crate) fn violation(&self, value: &str) -> Option<Message> {
        let invalid = |text: &str| Some(Message::new(code::PATTERN, text));
        if value.is_empty() {
            return invalid("Must not be empty: it is a part of a URL.");
        }
        if value.len() > MAX_LENGTH || encoded_length(value) > MAX_LENGTH {
            let text = format!(
                "Must have at most {MAX_LENGTH} bytes when it is percent-encoded: it is a part of a URL."
            );
            return Some(Message::new(code::MAX_LENGTH, text));
        }
        let text = [&self.before, value, &self.after].concat();
        let is_dots = |segment: &str| segment == "." || segment == "..";
        if self.converter != Converter::Path {
            return if is_dots(&text) {
                invalid("Must not be \".\" or \"..\": it is a part of a URL.")
            } else {
                None
            };
        }
        if text.ends_with('/') || text.split('/').any(is_dots) {
            invalid("Must not end with \"/\" or have a part \".\" or \"..\": it is a path in a URL.")
        } else {
            None
        }
    }
}

fn encoded_length(value: &str) -> usize {
    utf8_percent_encode(value, SEGMENT).map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::rule::Rule;

    #[track_caller]
    fn assert_codes(url: &str, values: &[(&str, Option<&str>)]) {
        let rule = Rule::parse(url).unwrap();
        let pattern = rule.key_pattern().unwrap();
        for (value, code) in values {
            let violation = pattern.violation(value);
            let found = violation.as_ref().map(Message::code);
            assert_eq!(found, *code, "{url}, {} bytes", value.len());
        }
    }

    #[test]
    fn a_value_that_does_not_identify_its_row_in_a_url_is_refused() {
        let (longest, longer) = ("ü".repeat(341), "ü".repeat(342));
        let pattern = Some(code::PATTERN);
        assert_codes(
            "/pages/<name>",
            &[
                (".", pattern),
                ("..", pattern),
                ("", pattern),
                ("...", None),
                ("./", None),
                ("a/", None),
                (&longest, None),
                (&longer, Some(code::MAX_LENGTH)),
            ],
        );
        assert_codes(
            "/tree/<path:name>",
            &[
                ("a/../b", pattern),
                ("./a", pattern),
                ("a/", pattern),
                ("a/b", None),
                ("a/...", None),
            ],
        );
        assert_codes("/pages/<name>.json", &[(".", None), ("..", None), ("", pattern)]);
        assert_codes("/pages/.<name>", &[(".", pattern), ("..", None)]);
    }
}
