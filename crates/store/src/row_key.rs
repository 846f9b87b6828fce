//! The value that identifies one row.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::value::Value;

/// Identifies one row of a table by its primary key or by another unique column.
///
/// A plain [`Value`] is a primary key.
#[derive(Debug, Clone, PartialEq)]
pub enum RowKey {
    /// The value of the primary key.
    Primary(Value),
    /// The position of a unique column, and its value.
    Unique(usize, Value),
}

impl RowKey {
    /// The key that a column's value is; the column must be the primary key or unique.
    pub fn new(table: &'static Table, column: usize, value: Value) -> Self {
        match column == table.primary_key {
            true => Self::Primary(value),
            false => Self::Unique(column, value),
        }
    }

    /// The value.
    pub fn value(&self) -> &Value {
        match self {
            Self::Primary(value) | Self::Unique(_, value) => value,
        }
    }

    /// The position of the column that has the value; none if it is the primary key.
    pub fn unique_column(&self) -> Option<usize> {
        match self {
            Self::Primary(_) => None,
            Self::Unique(column, _) => Some(*column),
        }
    }

    /// The column that has the value.
    pub(crate) fn column(&self, table: &'static Table) -> &'static Column {
        match self {
            Self::Primary(_) => table.key(),
            Self::Unique(column, _) => &table.columns[*column],
        }
    }
}

impl From<Value> for RowKey {
    fn from(key: Value) -> Self {
        Self::Primary(key)
    }
}
