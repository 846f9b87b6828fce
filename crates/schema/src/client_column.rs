//! Columns as clients see them: JSON name, label, messages and input.

use serde_json::value::RawValue;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use crate::column::Column;
use crate::message::Message;
use crate::naming;
use crate::value::Value;

impl Column {
    /// Name of the model that the column references, if it is a foreign key.
    pub fn referenced_model(&self) -> Option<&'static str> {
        let references = self.references?;
        Some((references.table)().model)
    }

    /// Name in JSON, in queries and in errors: the declared one, or the field's name in lowerCamelCase.
    pub fn wire_name(&self) -> String {
        match self.json_name {
            Some(name) => name.to_owned(),
            None => naming::camel_case(self.name),
        }
    }

    /// Human-readable name for messages, such as `First Name`.
    pub fn label(&self) -> String {
        naming::label(self.json_name.unwrap_or(self.name))
    }

    /// Parses and normalizes a JSON value of the column's type. Does not check whether the column accepts `null`.
    pub fn load(&self, json: &RawValue) -> Result<Value, Message> {
        match self.data_type.load(json) {
            Ok(value) => Ok(self.normalize(value)),
            Err(message) => Err(self.messages.replace(message)),
        }
    }

    /// Parses and normalizes the default of a new row.
    pub fn default_value(&self) -> Option<Result<Value, Message>> {
        let parsed = self.data_type.parse(self.default?);
        Some(parsed.map(|value| self.normalize(value)))
    }

    /// Applies `trim`, `lowercase` and `nfc` to a text, and the normalization of the field's type to any value.
    pub fn normalize(&self, value: Value) -> Value {
        let value = self.normalize_text(value);
        match self.type_normalization {
            Some(normalize) => normalize(value),
            None => value,
        }
    }

    fn normalize_text(&self, value: Value) -> Value {
        match value {
            Value::Text(text) if self.trim || self.lowercase || self.nfc => {
                let text = if self.trim && text.trim().len() < text.len() {
                    text.trim().to_owned()
                } else {
                    text
                };
                let text = if self.lowercase { text.to_lowercase() } else { text };
                // Last, since a letter may have several characters in lower case.
                Value::Text(if self.nfc && !is_nfc(&text) {
                    text.nfc().collect()
                } else {
                    text
                })
            }
            other => other,
        }
    }

    /// Message for a required value that is missing.
    pub fn required_message(&self) -> Message {
        self.messages.replace(Message::required(&self.label()))
    }

    /// Message for `null` in a column that is not nullable.
    pub fn null_message(&self) -> Message {
        self.messages.replace(Message::null(&self.label()))
    }

    /// Message for a value that another row already has.
    pub fn unique_message(&self) -> Message {
        self.messages.replace(Message::unique(&self.label()))
    }

    /// Message for a foreign key to a row that does not exist.
    pub fn reference_message(&self) -> Message {
        self.messages.replace(Message::missing_reference(&self.label()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_type::DataType;

    #[test]
    fn the_name_in_json_is_the_declared_one_or_the_fields_in_camel_case() {
        let column = Column::new("first_name", DataType::Text);
        assert_eq!(
            (column.wire_name(), column.label()),
            ("firstName".to_owned(), "First Name".to_owned())
        );
        let column = column.json_name("givenName");
        assert_eq!(
            (column.wire_name(), column.label()),
            ("givenName".to_owned(), "Given Name".to_owned())
        );
    }

    #[test]
    fn texts_are_trimmed_and_lowercased() {
        let column = Column::new("a", DataType::Text);
        let normalized = |column: Column| column.normalize(Value::Text(" Ä b\u{a0}".to_owned()));
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(normalized(column), text(" Ä b\u{a0}"));
        assert_eq!(normalized(column.trim()), text("Ä b"));
        assert_eq!(normalized(column.lowercase()), text(" ä b\u{a0}"));
        assert_eq!(normalized(column.trim().lowercase()), text("ä b"));
        let decomposed = |column: Column| column.normalize(Value::Text(" A\u{308}".to_owned()));
        assert_eq!(decomposed(column.nfc()), text(" \u{c4}"));
        assert_eq!(decomposed(column.trim().lowercase().nfc()), text("\u{e4}"));
        assert_eq!(decomposed(column.trim()), text("A\u{308}"));
    }
}
