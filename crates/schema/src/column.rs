//! Runtime metadata of models: tables, columns, types and constraints.

use crate::column_type::{ColumnType, TypeCheck, TypeNormalization};
use crate::data_type::DataType;
use crate::messages::Messages;
use crate::table_constraints::{CheckConstraint, TableIndex, UniqueConstraint};
use crate::table_name::schema_of;
use crate::transitions::Transitions;

pub use crate::column_role::{ColumnRole, KeyGeneration};

/// Metadata of a model's table.
#[derive(Debug)]
#[non_exhaustive]
pub struct Table {
    /// Name in the database, such as `users`, or `crm.customers` with the schema. It identifies the table; SQLite, which
    /// has no schemas, knows the table by the whole of it.
    pub name: &'static str,
    /// Schema in PostgreSQL, if the model declares one.
    pub schema: Option<&'static str>,
    /// Name of the model, such as `User`.
    pub model: &'static str,
    /// Columns, in the order of the values of rows and models.
    pub columns: &'static [Column],
    /// Position of the primary key among the columns.
    pub primary_key: usize,
    /// Position of the column that distinguishes the versions of a row: `Version`, else `Updated` unless it is nullable.
    pub version: Option<usize>,
    /// Position of the column whose value names a row for people, if the model declares one.
    pub label: Option<usize>,
    /// Position of the `soft_delete` column, if the table has one.
    pub soft_delete: Option<usize>,
    /// Whether clients may also write field names in snake_case.
    pub takes_snake_case: bool,
    /// Whether it is a view of the database, which is only read.
    pub is_view: bool,
    /// Documentation for clients, in Markdown; empty if there is none.
    pub description: &'static str,
    /// Unique constraints over several columns, or over some rows only.
    pub uniques: &'static [UniqueConstraint],
    /// Indexes that no constraint implies.
    pub indexes: &'static [TableIndex],
    /// Conditions that every row fulfils.
    pub checks: &'static [CheckConstraint],
}

/// Identity of a [`Table`], for comparisons and as a key of maps: that of the static, by its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TableId(usize);

/// Metadata of one column of a model.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Column {
    /// Name of the model's field, such as `first_name`.
    pub name: &'static str,
    /// Name in the database, by default that of the field.
    pub database_name: &'static str,
    /// Name in JSON, if it is not the field's name in lowerCamelCase.
    pub json_name: Option<&'static str>,
    /// Data type.
    pub data_type: DataType,
    /// Check of the field's Rust type, if that type does not accept every value of its data type.
    pub type_check: Option<TypeCheck>,
    /// Normalization of the field's Rust type, if that type accepts several forms of one value.
    pub type_normalization: Option<TypeNormalization>,
    /// Whether the column may be null.
    pub nullable: bool,
    /// Purpose of the column.
    pub role: ColumnRole,
    /// Default value of a new row, in its wire form.
    pub default: Option<&'static str>,
    /// Whether values must be unique.
    pub unique: bool,
    /// Minimum length of a text in characters, or of bytes.
    pub min_length: Option<usize>,
    /// Maximum length of a text in characters, or of bytes.
    pub max_length: Option<usize>,
    /// Minimum value, in its wire form.
    pub min: Option<&'static str>,
    /// Maximum value, in its wire form.
    pub max: Option<&'static str>,
    /// Regular expression that the whole text must match.
    pub pattern: Option<&'static str>,
    /// Allowed texts; empty for any.
    pub choices: &'static [&'static str],
    /// Whether the text must be an e-mail address.
    pub email: bool,
    /// Foreign key to another table.
    pub references: Option<References>,
    /// Whether clients can neither read nor write the column.
    pub hidden: bool,
    /// Whether the value names a row for people.
    pub is_label: bool,
    /// Whether surrounding white space is removed before validation.
    pub trim: bool,
    /// Whether the text is converted to lower case before validation.
    pub lowercase: bool,
    /// Whether the text is converted to Unicode normalization form C before validation.
    pub nfc: bool,
    /// Allowed changes of an enum's value.
    pub transitions: Transitions,
    /// Custom texts for built-in messages.
    pub messages: Messages,
    /// Documentation for clients, in Markdown; empty if there is none.
    pub description: &'static str,
    /// Documentation of the values of an enum, in the order of their names; empty if there is none.
    pub value_descriptions: &'static [&'static str],
    /// Enum type of PostgreSQL that holds an enum's values; `None` for text.
    pub postgres_type: Option<&'static str>,
}

/// Target of a foreign key.
#[derive(Debug, Clone, Copy)]
pub struct References {
    /// Referenced table.
    pub table: fn() -> &'static Table,
    /// Action when the referenced row is deleted.
    pub on_delete: OnDelete,
}

/// Action when a referenced row is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// Rejects the deletion.
    Restrict,
    /// Deletes this row too.
    Cascade,
    /// Sets this row's column to null.
    SetNull,
}

impl Table {
    /// Maximum number of columns: sets of them have one bit for each.
    pub const MAX_COLUMNS: usize = 128;

    /// Identity of this table; models with equal tables still have different ones.
    pub fn id(&'static self) -> TableId {
        TableId(std::ptr::from_ref(self).addr())
    }

    /// Creates a table; a dot in its name separates the schema. Evaluated in a constant, it fails to compile unless
    /// exactly one column is the primary key, and if there are too many columns.
    pub const fn new(name: &'static str, model: &'static str, columns: &'static [Column]) -> Self {
        assert!(
            columns.len() <= Self::MAX_COLUMNS,
            "a model has at most 128 columns: move some of the fields to another model"
        );
        let (mut primary_key, mut found, mut versions, mut deletions, mut i) = (0, 0, 0, 0, 0);
        let (mut version, mut updated, mut soft_delete) = (None, None, None);
        while i < columns.len() {
            match columns[i].role {
                ColumnRole::PrimaryKey(_) => {
                    primary_key = i;
                    found += 1;
                }
                ColumnRole::Version => {
                    version = Some(i);
                    versions += 1;
                }
                ColumnRole::Updated if !columns[i].nullable => updated = Some(i),
                ColumnRole::Deleted => {
                    assert!(
                        columns[i].nullable && matches!(columns[i].data_type, DataType::Timestamp),
                        "a row is deleted at a time, or not at all: make the field with #[column(soft_delete)] an \
                         Option<Timestamp>"
                    );
                    soft_delete = Some(i);
                    deletions += 1;
                }
                _ => {}
            }
            i += 1;
        }
        assert!(
            versions <= 1,
            "a model has one version: mark one field with #[column(version)]"
        );
        assert!(
            deletions <= 1,
            "a row is deleted once: mark one field with #[column(soft_delete)]"
        );
        assert!(
            found == 1,
            "a model needs exactly one primary key: mark one field with #[column(primary_key)]"
        );
        Self {
            name,
            schema: schema_of(name),
            model,
            columns,
            primary_key,
            version: if version.is_some() { version } else { updated },
            label: label_of(columns),
            soft_delete,
            takes_snake_case: false,
            is_view: false,
            description: "",
            uniques: &[],
            indexes: &[],
            checks: &[],
        }
    }

    /// Name within the schema: `customers` of the table `crm.customers`.
    pub fn name_in_schema(&self) -> &'static str {
        self.schema
            .map_or(self.name, |schema| &self.name[schema.len() + 1..])
    }

    /// Also accepts field names in snake_case from clients.
    pub const fn accept_snake_case(mut self) -> Self {
        self.takes_snake_case = true;
        self
    }

    /// Returns the position of the column with this field name.
    pub fn position(&self, field: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == field)
    }

    /// Returns the primary key's column.
    pub fn key(&self) -> &'static Column {
        &self.columns[self.primary_key]
    }
}

/// Position of the column that names a row.
const fn label_of(columns: &[Column]) -> Option<usize> {
    let (mut label, mut i) = (None, 0);
    while i < columns.len() {
        if columns[i].is_label {
            assert!(
                label.is_none(),
                "one column names a row: take `label` off one of the fields"
            );
            assert!(
                !columns[i].hidden,
                "no client sees a hidden column: take `label` or `hidden` off"
            );
            label = Some(i);
        }
        i += 1;
    }
    label
}

impl Column {
    /// Creates a column for a Rust type, whose own check runs on every value that clients send.
    pub const fn of<T: ColumnType>(name: &'static str) -> Self {
        Self::new(name, T::DATA_TYPE)
            .nullable(T::NULLABLE)
            .type_check(T::CHECK)
            .type_normalization(T::NORMALIZE)
            .value_descriptions(T::VALUE_DESCRIPTIONS)
            .postgres_type(T::POSTGRES_TYPE)
    }

    /// Creates a required column of this data type.
    pub const fn new(name: &'static str, data_type: DataType) -> Self {
        Self {
            name,
            database_name: name,
            json_name: None,
            data_type,
            type_check: None,
            type_normalization: None,
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
            is_label: false,
            trim: false,
            lowercase: false,
            nfc: false,
            transitions: Transitions::ANY,
            messages: Messages(&[]),
            description: "",
            value_descriptions: &[],
            postgres_type: None,
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

    /// Sets whether the column may be null.
    pub const fn nullable(mut self, nullable: bool) -> Self {
        self.nullable = nullable;
        self
    }

    /// Sets the purpose of the column.
    pub const fn role(mut self, role: ColumnRole) -> Self {
        self.role = role;
        self
    }

    /// Sets precision and scale of a decimal.
    pub const fn decimal(mut self, precision: u8, scale: u8) -> Self {
        assert!(
            precision <= DataType::MAX_DIGITS,
            "a decimal has at most 18 digits"
        );
        assert!(scale <= precision, "a decimal's scale is at most its precision");
        self.data_type = DataType::Decimal { precision, scale };
        self
    }

    /// Sets the default of a new row, in its wire form.
    pub const fn default(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// Requires unique values.
    pub const fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// Makes the column a foreign key to another table.
    pub const fn references(mut self, table: fn() -> &'static Table, on_delete: OnDelete) -> Self {
        assert!(
            self.nullable || !matches!(on_delete, OnDelete::SetNull),
            "on_delete = set_null needs a column that may be null: make the field an Option"
        );
        self.references = Some(References { table, on_delete });
        self
    }

    /// Hides the column: clients can neither read nor write it.
    pub const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Whether a new row needs a value from the client.
    pub fn is_required(&self) -> bool {
        !self.nullable && self.default.is_none()
    }

    /// Whether some values of the data type are invalid for the column.
    pub fn is_constrained(&self) -> bool {
        let has_length = self.min_length.is_some() || self.max_length.is_some();
        let has_bound = self.min.is_some() || self.max.is_some();
        let has_form = self.email || self.pattern.is_some() || !self.choices.is_empty();
        has_length || has_bound || has_form || self.type_check.is_some()
    }

    /// Whether the framework fills the column instead of the client.
    pub fn is_generated(&self) -> bool {
        match self.role {
            ColumnRole::Data | ColumnRole::PrimaryKey(KeyGeneration::Client) => false,
            ColumnRole::PrimaryKey(_) | ColumnRole::Slug(_) | ColumnRole::StableSlug(_) => true,
            ColumnRole::Created | ColumnRole::Updated | ColumnRole::Version | ColumnRole::Deleted => true,
        }
    }
}
