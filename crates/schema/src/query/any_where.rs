//! Type-erased conditions, and paths to the values that they compare.

use std::sync::Arc;

use crate::column::{Column, Table};
use crate::column_type::ColumnType;
use crate::data_type::DataType;
use crate::model::{Field, Model};
use crate::query::predicate::{Comparison, Predicate};
use crate::value::Value;

/// A type-erased condition on rows. It is either true or false: a predicate on a missing value is false, so its
/// negation is true.
#[derive(Debug, Clone)]
pub enum AnyWhere {
    /// All conditions (AND); all rows if empty.
    And(Vec<AnyWhere>),
    /// At least one condition (OR); no row if empty.
    Or(Vec<AnyWhere>),
    /// Negation.
    Not(Box<AnyWhere>),
    /// A condition that matches most rows, so that an index does not help (planner hint).
    Likely(Box<AnyWhere>),
    /// A predicate on a value. If a path leads to several values, at least one must match; [`Predicate::Null`]
    /// requires that all are null.
    Compare(FieldPath, Predicate),
}

/// Path from a table's rows to a value: a column of these or of related rows, or a value inside a JSON document.
///
/// A client's field name becomes a path only by [`Projection::path`](crate::serializer::Projection::path), which
/// resolves only the fields that the serializer writes. Application code creates paths from a model's fields.
#[derive(Debug, Clone)]
pub struct FieldPath {
    hops: Vec<RelationStep>,
    table: &'static Table,
    column: usize,
    keys: Vec<JsonKey>,
    /// Whether the value is the number of rows that the steps lead to.
    is_count: bool,
}

/// Number of related rows, described as a column.
static COUNT: Column = Column::new("count", DataType::I64);

/// One step from a table to a related one.
#[derive(Debug, Clone)]
pub struct RelationStep {
    /// Column of this table.
    pub from: usize,
    /// Related table.
    pub table: &'static Table,
    /// Column of the related table with the same value.
    pub to: usize,
    /// Visibility filter of the related rows, if any.
    pub visible: Option<Arc<AnyWhere>>,
}

impl RelationStep {
    /// Whether a row may have several related rows.
    pub fn leads_to_many(&self) -> bool {
        self.to != self.table.primary_key && !self.table.columns[self.to].unique
    }
}

/// One step into a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonKey {
    /// Member of an object.
    Member(String),
    /// Item of an array.
    Item(i32),
}

impl FieldPath {
    pub(crate) fn new(
        hops: Vec<RelationStep>,
        table: &'static Table,
        column: usize,
        keys: Vec<JsonKey>,
    ) -> Self {
        Self {
            hops,
            table,
            column,
            keys,
            is_count: false,
        }
    }

    /// Path to the number of rows that the steps lead to, each counted once.
    pub(crate) fn count(hops: Vec<RelationStep>, table: &'static Table) -> Self {
        Self {
            is_count: true,
            ..Self::new(hops, table, table.primary_key, Vec::new())
        }
    }

    /// Path to the primary key of a table's own rows.
    pub fn key_of(table: &'static Table) -> Self {
        Self::new(Vec::new(), table, table.primary_key, Vec::new())
    }

    /// Steps to related tables, in order.
    pub fn steps(&self) -> &[RelationStep] {
        &self.hops
    }

    /// Table that the last step leads to.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// Position of the column in that table.
    pub fn position(&self) -> usize {
        self.column
    }

    /// Column at the end of the path; of a number of rows, one that describes it.
    pub fn column(&self) -> &'static Column {
        if self.is_count {
            &COUNT
        } else {
            &self.table.columns[self.column]
        }
    }

    /// Whether the value is the number of rows that the steps lead to.
    pub fn is_count(&self) -> bool {
        self.is_count
    }

    /// Steps into the column's JSON document.
    pub fn keys(&self) -> &[JsonKey] {
        &self.keys
    }

    /// Whether the value is a column of the rows themselves.
    pub fn is_own_column(&self) -> bool {
        self.hops.is_empty() && self.keys.is_empty()
    }

    /// Whether each row has at most one such value.
    pub fn is_single(&self) -> bool {
        self.is_count || !self.hops.iter().any(RelationStep::leads_to_many)
    }

    /// Whether the value may be null.
    pub fn is_nullable(&self) -> bool {
        !self.is_count && (!self.is_own_column() || self.column().nullable)
    }

    /// Data type of the value; `None` inside a JSON document.
    pub fn data_type(&self) -> Option<DataType> {
        self.keys.is_empty().then(|| self.column().data_type)
    }
}

impl AnyWhere {
    /// Matches all rows.
    pub const fn all() -> Self {
        Self::And(Vec::new())
    }

    /// Whether the condition matches all rows.
    pub fn is_all(&self) -> bool {
        matches!(self, Self::And(conditions) if conditions.is_empty())
    }

    /// Whether the condition matches no row.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Or(conditions) if conditions.is_empty())
    }

    /// Whether a path leads to rows of which some are hidden.
    pub fn meets_hidden(&self) -> bool {
        match self {
            Self::And(conditions) | Self::Or(conditions) => conditions.iter().any(Self::meets_hidden),
            Self::Not(condition) | Self::Likely(condition) => condition.meets_hidden(),
            Self::Compare(path, _) => path.hops.iter().any(|hop| hop.visible.is_some()),
        }
    }

    /// Matches rows whose column equals this value.
    pub fn equals(table: &'static Table, column: usize, value: Value) -> Self {
        let path = FieldPath::new(Vec::new(), table, column, Vec::new());
        Self::Compare(path, Predicate::Is(Comparison::Eq, value))
    }

    /// Matches rows that are not soft-deleted; all rows of a table without soft deletion.
    pub fn not_deleted(table: &'static Table) -> Self {
        match table.soft_delete {
            // Most rows are not deleted, and most indexes are better than one of the deleted rows.
            Some(column) => Self::Likely(Box::new(Self::is_null(table, column))),
            None => Self::all(),
        }
    }

    /// Matches soft-deleted rows; no row of a table without soft deletion.
    pub fn deleted(table: &'static Table) -> Self {
        match table.soft_delete {
            Some(column) => Self::Not(Box::new(Self::is_null(table, column))),
            None => Self::Or(Vec::new()),
        }
    }

    fn is_null(table: &'static Table, column: usize) -> Self {
        let path = FieldPath::new(Vec::new(), table, column, Vec::new());
        Self::Compare(path, Predicate::Null(true))
    }

    /// Matches rows whose primary key is one of these values.
    pub fn key_in(table: &'static Table, keys: Vec<Value>) -> Self {
        Self::one_of(table, table.primary_key, keys)
    }

    /// Matches rows whose column has one of these values.
    pub fn one_of(table: &'static Table, column: usize, values: Vec<Value>) -> Self {
        if values.is_empty() {
            return Self::Or(Vec::new());
        }
        let path = FieldPath::new(Vec::new(), table, column, Vec::new());
        Self::Compare(path, Predicate::OneOf(values))
    }

    /// Matches rows whose foreign key references a row that matches the condition.
    pub fn references(column: usize, other: &'static Table, condition: Self) -> Self {
        let hop = RelationStep {
            from: column,
            table: other,
            to: other.primary_key,
            visible: Some(Arc::new(condition)),
        };
        let key = FieldPath::new(vec![hop], other, other.primary_key, Vec::new());
        Self::Compare(key, Predicate::Null(false))
    }

    /// Combines two conditions with AND.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (one, none) | (none, one) if none.is_all() => one,
            (Self::And(mut conditions), other) => {
                conditions.push(other);
                Self::And(conditions)
            }
            (one, other) => Self::And(vec![one, other]),
        }
    }
}

impl AnyWhere {
    /// Whether the condition can be evaluated from a row's own columns, without related rows.
    pub fn depends_on_own_columns(&self) -> bool {
        match self {
            AnyWhere::And(conditions) | AnyWhere::Or(conditions) => {
                conditions.iter().all(Self::depends_on_own_columns)
            }
            AnyWhere::Not(condition) | AnyWhere::Likely(condition) => condition.depends_on_own_columns(),
            AnyWhere::Compare(path, _) => path.is_own_column(),
        }
    }
}

impl<M: Model, T: ColumnType> From<Field<M, T>> for FieldPath {
    fn from(field: Field<M, T>) -> Self {
        Self::new(Vec::new(), M::table(), field.position(), Vec::new())
    }
}
