//! What is known of a model at run time: its table, its columns, their types and constraints.

use crate::kind::Kind;
use crate::naming;

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
    /// The name in the database and in the model, such as `first_name`.
    pub name: &'static str,
    /// The type.
    pub kind: Kind,
    /// Whether the column may hold no value.
    pub nullable: bool,
    /// What the column is for, beyond holding data.
    pub role: Role,
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
}

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It holds data.
    Data,
    /// It names the row.
    PrimaryKey(Assigned),
    /// It holds the moment the row was created.
    Created,
    /// It holds the moment the row was last changed.
    Updated,
    /// It holds a URL-friendly form of the named column.
    Slug(&'static str),
}

/// Who chooses the primary key of a new row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assigned {
    /// The database counts.
    ByDatabase,
    /// A UUID v7 is made when the row is written.
    AsUuid,
    /// The client sends it.
    ByClient,
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
            if matches!(columns[i].role, Role::PrimaryKey(_)) {
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
    pub const fn takes_snake_case(mut self) -> Self {
        self.takes_snake_case = true;
        self
    }

    /// Where the column of this name stands.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == column)
    }

    /// The primary key's column.
    pub fn key(&self) -> &'static Column {
        &self.columns[self.primary_key]
    }
}

impl Column {
    /// A column that holds data of this kind and is required.
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            nullable: false,
            role: Role::Data,
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
        }
    }

    /// May the column hold no value?
    pub const fn nullable(mut self, nullable: bool) -> Self {
        self.nullable = nullable;
        self
    }

    /// Gives the column its role.
    pub const fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Sets the number of digits of a decimal.
    pub const fn decimal(mut self, precision: u8, scale: u8) -> Self {
        assert!(precision <= Kind::MOST_DIGITS, "a decimal has at most 18 digits");
        assert!(scale <= precision, "a decimal's scale is at most its precision");
        self.kind = Kind::Decimal { precision, scale };
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

    /// The name that clients use: lowerCamelCase.
    pub fn wire_name(&self) -> String {
        naming::camel_case(self.name)
    }

    /// The name that people read in errors.
    pub fn label(&self) -> String {
        naming::label(self.name)
    }

    /// Whether a new row needs a value from the client.
    pub fn is_required(&self) -> bool {
        !self.nullable && self.default.is_none()
    }

    /// Whether the framework, not the client, fills the column.
    pub fn is_generated(&self) -> bool {
        match self.role {
            Role::Data | Role::PrimaryKey(Assigned::ByClient) => false,
            Role::PrimaryKey(_) | Role::Created | Role::Updated | Role::Slug(_) => true,
        }
    }
}
