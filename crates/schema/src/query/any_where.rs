//! Conditions on rows, and the ways to the values that they test.

use std::sync::Arc;

use crate::column::{Column, Table};
use crate::column_type::ColumnType;
use crate::data_type::DataType;
use crate::model::{Field, Model};
use crate::query::predicate::{Comparison, Predicate};
use crate::value::Value;

/// What must hold of a row. It holds or it does not: a test of a value that is not there does not hold, and so its
/// opposite does.
#[derive(Debug, Clone)]
pub enum AnyWhere {
    /// Each of these; of none of them, all rows.
    And(Vec<AnyWhere>),
    /// One of these at least; of none of them, no row.
    Or(Vec<AnyWhere>),
    /// Not this.
    Not(Box<AnyWhere>),
    /// This, which holds of most rows, so that no index helps to find those.
    Likely(Box<AnyWhere>),
    /// The test of a value. Where a row relates to several, of one of them at least; that there is none, of all of them.
    Compare(FieldPath, Predicate),
}

/// The way from the rows of a table to a value: a column of theirs or of rows that they relate to, or what stands in a JSON
/// document there.
///
/// What a client names becomes a path only by [`Projection::path`](crate::serializer::Projection::path), which knows no other fields
/// than those that the serializer writes. The application's own code makes one of a model's field.
#[derive(Debug, Clone)]
pub struct FieldPath {
    hops: Vec<RelationStep>,
    table: &'static Table,
    column: usize,
    keys: Vec<JsonKey>,
}

/// One step from a table to another.
#[derive(Debug, Clone)]
pub struct RelationStep {
    /// The column here.
    pub from: usize,
    /// The other table.
    pub table: &'static Table,
    /// The column there that has the same value.
    pub to: usize,
    /// What must hold of the rows there besides, for whoever goes this way.
    pub visible: Option<Arc<AnyWhere>>,
}

/// One step into a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonKey {
    /// The member of an object.
    Member(String),
    /// The item of an array.
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
        }
    }

    /// The primary key of a table's own rows.
    pub fn key_of(table: &'static Table) -> Self {
        Self::new(Vec::new(), table, table.primary_key, Vec::new())
    }

    /// The steps to other tables, in their order.
    pub fn steps(&self) -> &[RelationStep] {
        &self.hops
    }

    /// The table that the last step leads to.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// Where the column stands in that table.
    pub fn position(&self) -> usize {
        self.column
    }

    /// The column.
    pub fn column(&self) -> &'static Column {
        &self.table.columns[self.column]
    }

    /// The steps into the document that the column holds.
    pub fn keys(&self) -> &[JsonKey] {
        &self.keys
    }

    /// Whether the value is a column of the rows themselves.
    pub fn is_own_column(&self) -> bool {
        self.hops.is_empty() && self.keys.is_empty()
    }

    /// Whether each row has at most one such value.
    pub fn is_single(&self) -> bool {
        self.hops.iter().all(|hop| hop.to == hop.table.primary_key)
    }

    /// Whether there may be no value.
    pub fn is_nullable(&self) -> bool {
        !self.is_own_column() || self.column().nullable
    }

    /// The type of the value; of what stands in a document none is known.
    pub fn kind(&self) -> Option<DataType> {
        self.keys.is_empty().then(|| self.column().kind)
    }
}

impl AnyWhere {
    /// What holds of all rows.
    pub const fn all() -> Self {
        Self::And(Vec::new())
    }

    /// Whether it holds of all rows.
    pub fn is_all(&self) -> bool {
        matches!(self, Self::And(conditions) if conditions.is_empty())
    }

    /// Whether it holds of no row.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Or(conditions) if conditions.is_empty())
    }

    /// Whether it leads to other rows of which not all can be seen.
    pub fn meets_hidden(&self) -> bool {
        match self {
            Self::And(conditions) | Self::Or(conditions) => conditions.iter().any(Self::meets_hidden),
            Self::Not(condition) | Self::Likely(condition) => condition.meets_hidden(),
            Self::Compare(path, _) => path.hops.iter().any(|hop| hop.visible.is_some()),
        }
    }

    /// The condition that a column of the table's own rows has this value.
    pub fn equals(table: &'static Table, column: usize, value: Value) -> Self {
        let path = FieldPath::new(Vec::new(), table, column, Vec::new());
        Self::Compare(path, Predicate::Is(Comparison::Eq, value))
    }

    /// That the foreign key in a column names a row of the other table of which the condition holds.
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

    /// Both this and the other.
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
    /// Whether the columns of a row decide it, without rows of other tables.
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
