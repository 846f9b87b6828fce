//! Documentation of tables and columns for clients.

use crate::column::{Column, Table};
use crate::data_type::DataType;

/// Maximum length of a text that fits into one line of a form.
const MAX_LINE: usize = 200;

impl Table {
    /// Sets the documentation for clients, in Markdown.
    pub const fn description(mut self, text: &'static str) -> Self {
        self.description = text;
        self
    }
}

impl Column {
    /// Sets the documentation for clients, in Markdown.
    pub const fn description(mut self, text: &'static str) -> Self {
        self.description = text;
        self
    }

    /// Sets the documentation of an enum's values, in the order of their names.
    pub const fn value_descriptions(mut self, texts: &'static [&'static str]) -> Self {
        self.value_descriptions = texts;
        self
    }

    /// Sets the enum type of PostgreSQL that holds an enum's values.
    pub const fn postgres_type(mut self, name: Option<&'static str>) -> Self {
        self.postgres_type = name;
        self
    }

    /// Whether the column holds texts that may have several lines: texts without a maximum length, or with a high one.
    pub fn is_long_text(&self) -> bool {
        let is_plain = !self.email && self.pattern.is_none() && self.choices.is_empty();
        let is_long = self.max_length.is_none_or(|length| length > MAX_LINE);
        self.data_type == DataType::Text && is_plain && is_long && self.role.slug_source().is_none()
    }
}
