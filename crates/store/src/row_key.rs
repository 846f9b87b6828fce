//! Keys that identify one row.

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
    /// Creates a key from a column's value; the column must be the primary key or unique.
    pub fn new(table: &'static Table, column: usize, value: Value) -> Self {
        if column == table.primary_key {
            Self::Primary(value)
        } else {
            Self::Unique(column, value)
        }
    }

    /// Value of the key.
    pub fn value(&self) -> &Value {
        match self {
            Self::Primary(value) | Self::Unique(_, value) => value,
        }
    }

    /// Position of the unique column; `None` for the primary key.
    pub fn unique_column(&self) -> Option<usize> {
        match self {
            Self::Primary(_) => None,
            Self::Unique(column, _) => Some(*column),
        }
    }

    /// Column of the key.
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
