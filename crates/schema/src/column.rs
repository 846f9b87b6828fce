//! What is known of a model at run time: its table, its columns, their types and constraints.

use crate::column_type::{ColumnType, TypeCheck};
use crate::data_type::DataType;
use crate::messages::Messages;

/// A model's table: its name, the model's name, and the columns in their order.
#[derive(Debug)]
#[non_exhaustive]
pub struct Table {
    /// The name in the database, such as `users`.
    pub name: &'static str,
    /// The name of the model, such as `User`.
    pub model: &'static str,
    /// The columns, in the order in which rows and models give their values.
    pub columns: &'static [Column],
    /// Where the primary key stands among the columns.
    pub primary_key: usize,
    /// Whether clients may also spell fields in snake_case.
    pub takes_snake_case: bool,
}

/// One column of a model.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Column {
    /// The name of the model's field, such as `first_name`.
    pub name: &'static str,
    /// The name in the database: that of the field unless it is another.
    pub database_name: &'static str,
    /// The name in JSON, if it is not the field's name in lowerCamelCase.
    pub json_name: Option<&'static str>,
    /// The type.
    pub kind: DataType,
    /// The check of the field's Rust type, if that type does not take every value of its kind.
    pub type_check: Option<TypeCheck>,
    /// Whether the column may hold no value.
    pub nullable: bool,
    /// What the column is for, beyond holding data.
    pub role: ColumnRole,
    /// The value a new row gets when the client names none, in its wire form.
    pub default: Option<&'static str>,
    /// Whether no two rows may share a value.
    pub unique: bool,
    /// The fewest characters (or bytes) of a text.
    pub min_length: Option<usize>,
    /// The most characters (or bytes) of a text.
    pub max_length: Option<usize>,
    /// The least value, in its wire form.
    pub min: Option<&'static str>,
    /// The greatest value, in its wire form.
    pub max: Option<&'static str>,
    /// A regular expression the whole text must match.
    pub pattern: Option<&'static str>,
    /// The only texts that are taken; empty for any.
    pub choices: &'static [&'static str],
    /// Whether the text must be an e-mail address.
    pub email: bool,
    /// The row of another table that this column names.
    pub references: Option<References>,
    /// Whether the column never leaves and never enters.
    pub hidden: bool,
    /// Whether white space around the text is removed before it is checked.
    pub trim: bool,
    /// Whether the text is converted to lower case before it is checked.
    pub lowercase: bool,
    /// The texts that replace those of built-in messages.
    pub messages: Messages,
}

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnRole {
    /// It holds data.
    Data,
    /// It names the row.
    PrimaryKey(KeyGeneration),
    /// It holds the moment the row was created.
    Created,
    /// It holds the moment the row was last changed.
    Updated,
    /// It holds a URL-friendly form of the named column, and follows its changes.
    Slug(&'static str),
    /// It holds a URL-friendly form that the named column had when the row was created.
    StableSlug(&'static str),
}

impl ColumnRole {
    /// The column that a slug is made from.
    pub fn slug_source(self) -> Option<&'static str> {
        match self {
            ColumnRole::Slug(source) | ColumnRole::StableSlug(source) => Some(source),
            ColumnRole::Data | ColumnRole::PrimaryKey(_) | ColumnRole::Created | ColumnRole::Updated => None,
        }
    }
}

/// Who chooses the primary key of a new row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyGeneration {
    /// The database counts.
    AutoIncrement,
    /// A UUID v7 is made when the row is written.
    UuidV7,
    /// The client sends it.
    Client,
}

/// A foreign key's other end.
#[derive(Debug, Clone, Copy)]
pub struct References {
    /// The other table.
    pub table: fn() -> &'static Table,
    /// What happens to this row when the other one is deleted.
    pub on_delete: OnDelete,
}

/// What happens to a row when the row it references is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// The deletion is refused.
    Restrict,
    /// This row is deleted too.
    Cascade,
    /// This row's column becomes null.
    SetNull,
}

impl Table {
    /// Describes a table. Fails to compile, in a constant, unless exactly one column is the primary key.
    pub const fn new(name: &'static str, model: &'static str, columns: &'static [Column]) -> Self {
        let (mut primary_key, mut found, mut i) = (0, 0, 0);
        while i < columns.len() {
            if matches!(columns[i].role, ColumnRole::PrimaryKey(_)) {
                primary_key = i;
                found += 1;
            }
            i += 1;
        }
        assert!(
            found == 1,
            "a model needs exactly one primary key: mark one field with #[column(primary_key)]"
        );
        Self {
            name,
            model,
            columns,
            primary_key,
            takes_snake_case: false,
        }
    }

    /// Lets clients spell fields in snake_case too.
    pub const fn accept_snake_case(mut self) -> Self {
        self.takes_snake_case = true;
        self
    }

    /// The position of the column with this field name.
    pub fn position(&self, field: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == field)
    }

    /// The primary key's column.
    pub fn key(&self) -> &'static Column {
        &self.columns[self.primary_key]
    }
}

impl Column {
    /// The column of a field with this Rust type, whose own check runs on every value that clients send.
    pub const fn of<T: ColumnType>(name: &'static str) -> Self {
        Self::new(name, T::KIND)
            .nullable(T::NULLABLE)
            .type_check(T::CHECK)
    }

    /// A column that holds data of this kind and is required.
    pub const fn new(name: &'static str, kind: DataType) -> Self {
        Self {
            name,
            database_name: name,
            json_name: None,
            kind,
            type_check: None,
            nullable: false,
            role: ColumnRole::Data,
            default: None,
            unique: false,
            min_length: None,
            max_length: None,
            min: None,
            max: None,
            pattern: None,
            choices: &[],
            email: false,
            references: None,
            hidden: false,
            trim: false,
            lowercase: false,
            messages: Messages(&[]),
        }
    }

    /// Sets the check of the field's Rust type.
    pub const fn type_check(mut self, check: Option<TypeCheck>) -> Self {
        self.type_check = check;
        self
    }

    /// Sets the name in the database.
    pub const fn database_name(mut self, name: &'static str) -> Self {
        self.database_name = name;
        self
    }

    /// Sets the name in JSON.
    pub const fn json_name(mut self, name: &'static str) -> Self {
        self.json_name = Some(name);
        self
    }

    /// May the column hold no value?
    pub const fn nullable(mut self, nullable: bool) -> Self {
        self.nullable = nullable;
        self
    }

    /// Gives the column its role.
    pub const fn role(mut self, role: ColumnRole) -> Self {
        self.role = role;
        self
    }

    /// Sets the number of digits of a decimal.
    pub const fn decimal(mut self, precision: u8, scale: u8) -> Self {
        assert!(
            precision <= DataType::MAX_DIGITS,
            "a decimal has at most 18 digits"
        );
        assert!(scale <= precision, "a decimal's scale is at most its precision");
        self.kind = DataType::Decimal { precision, scale };
        self
    }

    /// Sets the value of a new row, in its wire form.
    pub const fn default(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// No two rows may share a value.
    pub const fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// Sets the fewest characters.
    pub const fn min_length(mut self, length: usize) -> Self {
        self.min_length = Some(length);
        self
    }

    /// Sets the most characters.
    pub const fn max_length(mut self, length: usize) -> Self {
        self.max_length = Some(length);
        self
    }

    /// Sets the least value, in its wire form.
    pub const fn min(mut self, min: &'static str) -> Self {
        self.min = Some(min);
        self
    }

    /// Sets the greatest value, in its wire form.
    pub const fn max(mut self, max: &'static str) -> Self {
        self.max = Some(max);
        self
    }

    /// Sets the regular expression that the whole text must match.
    pub const fn pattern(mut self, pattern: &'static str) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// Sets the only texts that are taken.
    pub const fn choices(mut self, choices: &'static [&'static str]) -> Self {
        self.choices = choices;
        self
    }

    /// The text must be an e-mail address.
    pub const fn email(mut self) -> Self {
        self.email = true;
        self
    }

    /// The column names a row of another table.
    pub const fn references(mut self, table: fn() -> &'static Table, on_delete: OnDelete) -> Self {
        assert!(
            self.nullable || !matches!(on_delete, OnDelete::SetNull),
            "on_delete = set_null needs a column that may be null: make the field an Option"
        );
        self.references = Some(References { table, on_delete });
        self
    }

    /// The column never leaves and never enters.
    pub const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Removes white space around the text before it is checked.
    pub const fn trim(mut self) -> Self {
        self.trim = true;
        self
    }

    /// Converts the text to lower case before it is checked.
    pub const fn lowercase(mut self) -> Self {
        self.lowercase = true;
        self
    }

    /// Replaces the texts of built-in messages, each by the code of its message.
    pub const fn messages(mut self, messages: &'static [(&'static str, &'static str)]) -> Self {
        self.messages = Messages(messages);
        self
    }

    /// Whether a new row needs a value from the client.
    pub fn is_required(&self) -> bool {
        !self.nullable && self.default.is_none()
    }

    /// Whether not every value of the column's kind is valid.
    pub fn is_constrained(&self) -> bool {
        let has_length = self.min_length.is_some() || self.max_length.is_some();
        let has_bound = self.min.is_some() || self.max.is_some();
        let has_form = self.email || self.pattern.is_some() || !self.choices.is_empty();
        has_length || has_bound || has_form || self.type_check.is_some()
    }

    /// Whether the framework, not the client, fills the column.
    pub fn is_generated(&self) -> bool {
        match self.role {
            ColumnRole::Data | ColumnRole::PrimaryKey(KeyGeneration::Client) => false,
            ColumnRole::PrimaryKey(_) | ColumnRole::Created | ColumnRole::Updated => true,
            ColumnRole::Slug(_) | ColumnRole::StableSlug(_) => true,
        }
    }
}
