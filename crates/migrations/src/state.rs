//! Description of a database's schema as plain data.

use std::collections::{BTreeMap, BTreeSet};

use model_resource_store::SqlDialect;

use crate::encoding::{IntegerEncoding, SqliteConversion, conversion};
use crate::token::quoted_name;

/// Schema of a database, in the SQL of its dialect.
///
/// The order of columns is kept, since `CREATE TABLE` needs one, but two schemas that differ in nothing else need no
/// migration: see [`SchemaState::normalized`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaState {
    /// Dialect of types, conditions and literals.
    pub dialect: SqlDialect,
    /// Tables by name.
    pub tables: BTreeMap<String, TableState>,
    /// Labels of enum types by the name of the type; only PostgreSQL has any.
    pub enums: BTreeMap<String, Vec<String>>,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableState {
    /// Name.
    pub name: String,
    /// Columns in order.
    pub columns: Vec<ColumnState>,
    /// Primary key.
    pub primary_key: PrimaryKeyState,
    /// Columns of each unique constraint.
    pub uniques: BTreeSet<Vec<String>>,
    /// Checks with a name, which models can declare.
    pub checks: BTreeMap<String, String>,
    /// Foreign keys.
    pub foreign_keys: BTreeSet<ForeignKeyState>,
    /// Indexes by name.
    pub indexes: BTreeMap<String, IndexState>,
    /// Constraints that no model declares, such as a check without a name. They are kept.
    pub other_constraints: Vec<String>,
    /// Statements that create triggers and indexes over expressions, which no model declares. They are kept.
    pub other_statements: Vec<String>,
    /// Text after the columns, such as `STRICT`.
    pub options: String,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnState {
    /// Name.
    pub name: String,
    /// Type in SQL.
    pub data_type: String,
    /// Meaning of SQLite's integers, if it is known.
    pub encoding: Option<IntegerEncoding>,
    /// Whether the column may be null. That of a primary key never is.
    pub is_nullable: bool,
    /// Default as an expression: that of the database, or that of the model for rows that exist already. No difference
    /// between the two needs a migration.
    pub default: Option<String>,
    /// Further text of the column that no model declares, such as a collation. It is kept.
    pub options: String,
}

/// Primary key of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrimaryKeyState {
    /// Columns in order.
    pub columns: Vec<String>,
    /// Whether the database assigns the next number.
    pub is_assigned: bool,
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForeignKeyState {
    /// Columns that reference.
    pub columns: Vec<String>,
    /// Referenced table.
    pub table: String,
    /// Referenced columns.
    pub targets: Vec<String>,
    /// Action when the referenced row is deleted, such as `SET NULL`; empty for none.
    pub on_delete: String,
    /// Further text that no model declares, such as `DEFERRABLE`. It is kept.
    pub options: String,
}

/// An index over columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexState {
    /// Name.
    pub name: String,
    /// Whether rows have different values.
    pub is_unique: bool,
    /// Columns in order.
    pub columns: Vec<IndexedColumnState>,
    /// Condition of the rows in the index.
    pub condition: Option<String>,
}

/// A column of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedColumnState {
    /// Name.
    pub name: String,
    /// Collation and order, such as `DESC`; empty for those of the column.
    pub order: String,
}

impl SchemaState {
    /// Returns the schema of an empty database.
    pub fn empty(dialect: SqlDialect) -> Self {
        Self {
            dialect,
            tables: BTreeMap::new(),
            enums: BTreeMap::new(),
        }
    }

    /// Returns the parts that a migration can change and that models declare: columns in the order of their names, and
    /// nothing that migrations keep as it is.
    pub fn normalized(&self) -> Self {
        let mut state = self.clone();
        for table in state.tables.values_mut() {
            table.columns.sort_by(|one, two| one.name.cmp(&two.name));
            for column in &mut table.columns {
                column.default = None;
                column.encoding = None;
                column.options.clear();
            }
            table.foreign_keys = table.foreign_keys.iter().map(ForeignKeyState::declared).collect();
            table.other_constraints.clear();
            table.other_statements.clear();
            table.options.clear();
        }
        state
    }
}

impl TableState {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            columns: Vec::new(),
            primary_key: PrimaryKeyState::default(),
            uniques: BTreeSet::new(),
            checks: BTreeMap::new(),
            foreign_keys: BTreeSet::new(),
            indexes: BTreeMap::new(),
            other_constraints: Vec::new(),
            other_statements: Vec::new(),
            options: String::new(),
        }
    }

    /// Returns the column with this name.
    pub fn column(&self, name: &str) -> Option<&ColumnState> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Whether the database assigns the values of this column.
    pub(crate) fn assigns(&self, column: &str) -> bool {
        self.primary_key.is_assigned && self.primary_key.columns == [column]
    }

    /// Whether the primary key, a constraint or a statement depends on a column. Indexes do not count.
    pub(crate) fn is_constrained(&self, column: &str) -> bool {
        let has = |columns: &[String]| columns.iter().any(|own| own == column);
        let quoted = quoted_name(column);
        has(&self.primary_key.columns)
            || self.uniques.iter().any(|unique| has(unique))
            || self
                .foreign_keys
                .iter()
                .any(|key| has(&key.columns) || key.table == self.name && has(&key.targets))
            || self.checks.values().any(|check| check.contains(&quoted))
            || !self.other_constraints.is_empty()
            || !self.other_statements.is_empty()
    }
}

impl ColumnState {
    /// Conversion of SQLite's values to another type or encoding.
    pub(crate) fn conversion_to(&self, to: &Self) -> SqliteConversion {
        let from = (self.data_type.as_str(), self.encoding);
        conversion(&quoted_name(&self.name), from, (&to.data_type, to.encoding))
    }

    /// Whether SQLite's values have no meaning in another column. An integer whose meaning is not known may be the number
    /// that a text or a real number says, as the key is that the database assigns: it is copied or refused.
    pub(crate) fn is_lost_as(&self, to: &Self) -> bool {
        let is_bare = |column: &Self| column.data_type == "INTEGER" && column.encoding.is_none();
        let may_be_number = |column: &Self| matches!(column.data_type.as_str(), "TEXT" | "REAL");
        let is_copied = is_bare(self) && may_be_number(to) || may_be_number(self) && is_bare(to);
        self.conversion_to(to) == SqliteConversion::Unknown && !is_copied
    }

    /// Whether values have the type and meaning of another column. Encodings that are not known count as equal.
    pub(crate) fn is_stored_as(&self, other: &Self) -> bool {
        let has_encoding =
            self.encoding.is_none() || other.encoding.is_none() || self.encoding == other.encoding;
        self.data_type == other.data_type && has_encoding
    }
}

impl ForeignKeyState {
    /// Returns the part that models declare.
    pub(crate) fn declared(&self) -> Self {
        Self {
            options: String::new(),
            ..self.clone()
        }
    }
}
