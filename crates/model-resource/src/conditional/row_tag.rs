//! Tags of row versions.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use http::HeaderValue;
use model_resource_schema::column::Table;
use model_resource_schema::json::write_value;
use model_resource_schema::model::Row;

use crate::keyed_digest::{DIGEST_LENGTH, DigestKey};

/// Length of a tag in a header: base64 in quotes.
const TEXT_LENGTH: usize = 24;

/// Tag of one version of a row: an entity tag in quotes.
///
/// It depends on the row alone, so it is the same whichever fields or representation a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowTag([u8; TEXT_LENGTH]);

impl RowTag {
    fn new(digest: [u8; DIGEST_LENGTH]) -> Self {
        let mut text = [b'"'; TEXT_LENGTH];
        let encoded = BASE64.encode_slice(digest, &mut text[1..TEXT_LENGTH - 1]);
        debug_assert_eq!(encoded, Ok(TEXT_LENGTH - 2));
        Self(text)
    }

    /// Value of the header `ETag`.
    pub(crate) fn header(&self) -> HeaderValue {
        HeaderValue::from_bytes(&self.0).expect("base64 in quotes is a header value")
    }

    /// Whether a text is this tag, with or without its quotes.
    pub(crate) fn is(&self, text: &str) -> bool {
        let text = text.as_bytes();
        text == self.0 || text == &self.0[1..TEXT_LENGTH - 1]
    }

    /// Text in a header.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Key of the tags: without it, a tag would let clients guess values that they cannot read.
#[derive(Clone)]
pub(crate) struct RowTagKey(DigestKey);

impl RowTagKey {
    pub(crate) fn new(secret: &[u8; 32]) -> Self {
        Self(DigestKey::new(secret))
    }

    /// Tag of a row: of its version, or of all its values if its table has no version.
    pub(crate) fn tag(&self, table: &'static Table, row: &dyn Row) -> RowTag {
        let mut text = Vec::with_capacity(128);
        text.extend_from_slice(table.name.as_bytes());
        let mut add = |column: usize| {
            // JSON has no such byte, so different values give different texts.
            text.push(0);
            write_value(&mut text, row.value(column));
        };
        add(table.primary_key);
        match table.version {
            Some(version) => add(version),
            None => (0..table.columns.len()).for_each(add),
        }
        RowTag::new(self.0.digest(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model_resource_schema::column::{Column, ColumnRole, KeyGeneration};
    use model_resource_schema::data_type::DataType;
    use model_resource_schema::model::Record;
    use model_resource_schema::value::Value;

    const KEY: Column =
        Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement));
    static PLAIN: Table = Table::new("plain", "Plain", &[KEY, Column::new("name", DataType::Text)]);
    static COUNTED: Table = Table::new(
        "counted",
        "Counted",
        &[
            KEY,
            Column::new("name", DataType::Text),
            Column::new("version", DataType::I64).role(ColumnRole::Version),
        ],
    );

    fn plain(id: i64, name: &str) -> Record {
        Record::new(vec![Value::Int(id), Value::Text(name.to_owned())])
    }

    #[test]
    fn a_tag_is_base64_in_quotes() {
        let tag = RowTagKey::new(&[1; 32]).tag(&PLAIN, &plain(1, "a")).header();
        let tag = tag.to_str().unwrap().to_owned();
        assert_eq!(tag.len(), TEXT_LENGTH);
        assert!(tag.starts_with('"') && tag.ends_with('"'));
        assert!(
            tag[1..TEXT_LENGTH - 1]
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        );
    }

    #[test]
    fn without_a_version_every_value_counts() {
        let key = RowTagKey::new(&[1; 32]);
        let tag = key.tag(&PLAIN, &plain(1, "a"));
        assert_eq!(tag, key.tag(&PLAIN, &plain(1, "a")));
        assert_ne!(tag, key.tag(&PLAIN, &plain(1, "b")));
        assert_ne!(tag, key.tag(&PLAIN, &plain(2, "a")));
        assert_ne!(tag, RowTagKey::new(&[2; 32]).tag(&PLAIN, &plain(1, "a")));
    }

    #[test]
    fn with_a_version_no_other_value_counts() {
        let counted = |name: &str, version| {
            Record::new(vec![
                Value::Int(1),
                Value::Text(name.to_owned()),
                Value::Int(version),
            ])
        };
        let key = RowTagKey::new(&[1; 32]);
        assert_eq!(
            key.tag(&COUNTED, &counted("a", 1)),
            key.tag(&COUNTED, &counted("b", 1))
        );
        assert_ne!(
            key.tag(&COUNTED, &counted("a", 1)),
            key.tag(&COUNTED, &counted("a", 2))
        );
    }
}
