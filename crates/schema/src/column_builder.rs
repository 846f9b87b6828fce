//! Constants of models: the constraints of a column, and those of a table.

use crate::column::{Column, KeyGeneration, Table};
use crate::column_type::TypeNormalization;
use crate::data_type::DataType;
use crate::messages::Messages;
use crate::table_constraints::{CheckConstraint, TableIndex, UniqueConstraint};
use crate::transitions::Transitions;

impl Table {
    /// Reads a view of the database, which migrations create and nothing writes.
    pub const fn view(mut self) -> Self {
        self.is_view = true;
        self
    }

    /// Sets the unique constraints over several columns, or over some rows only.
    pub const fn uniques(mut self, uniques: &'static [UniqueConstraint]) -> Self {
        self.uniques = uniques;
        self
    }

    /// Sets the indexes.
    pub const fn indexes(mut self, indexes: &'static [TableIndex]) -> Self {
        self.indexes = indexes;
        self
    }

    /// Sets the conditions that every row fulfils.
    pub const fn checks(mut self, checks: &'static [CheckConstraint]) -> Self {
        self.checks = checks;
        self
    }
}

impl KeyGeneration {
    /// Generation of keys of this type, unless the client sends them. Evaluated in a constant, it fails to compile for
    /// a type that nothing generates.
    pub const fn of(data_type: DataType) -> Self {
        match data_type {
            DataType::I32 | DataType::I64 => Self::AutoIncrement,
            DataType::Uuid => Self::UuidV7,
            _ => panic!(
                "nobody makes a primary key of this type: write `primary_key = client` to have clients assign it, or make \
                 the field a type around an i64 (the database counts) or a Uuid (made when the row is written)"
            ),
        }
    }
}

impl Column {
    /// Lets the value name a row for people.
    pub const fn as_label(mut self) -> Self {
        self.is_label = true;
        self
    }

    /// Sets the normalization of the field's Rust type.
    pub const fn type_normalization(mut self, normalization: Option<TypeNormalization>) -> Self {
        self.type_normalization = normalization;
        self
    }

    /// Sets the minimum length.
    pub const fn min_length(mut self, length: usize) -> Self {
        self.min_length = Some(length);
        self
    }

    /// Sets the maximum length.
    pub const fn max_length(mut self, length: usize) -> Self {
        self.max_length = Some(length);
        self
    }

    /// Sets the minimum value, in its wire form.
    pub const fn min(mut self, min: &'static str) -> Self {
        self.min = Some(min);
        self
    }

    /// Sets the maximum value, in its wire form.
    pub const fn max(mut self, max: &'static str) -> Self {
        self.max = Some(max);
        self
    }

    /// Sets the regular expression that the whole text must match.
    pub const fn pattern(mut self, pattern: &'static str) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// Sets the allowed texts.
    pub const fn choices(mut self, choices: &'static [&'static str]) -> Self {
        self.choices = choices;
        self
    }

    /// Requires an e-mail address.
    pub const fn email(mut self) -> Self {
        self.email = true;
        self
    }

    /// Removes surrounding white space before validation.
    pub const fn trim(mut self) -> Self {
        self.trim = true;
        self
    }

    /// Converts the text to lower case before validation.
    pub const fn lowercase(mut self) -> Self {
        self.lowercase = true;
        self
    }

    /// Converts the text to Unicode normalization form C before validation.
    pub const fn nfc(mut self) -> Self {
        self.nfc = true;
        self
    }

    /// Sets the allowed changes of an enum's value.
    pub const fn transitions(mut self, transitions: Transitions) -> Self {
        self.transitions = transitions;
        self
    }

    /// Replaces the texts of built-in messages, by message code.
    pub const fn messages(mut self, messages: &'static [(&'static str, &'static str)]) -> Self {
        self.messages = Messages(messages);
        self
    }
}
