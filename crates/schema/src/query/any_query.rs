//! Type-erased filters of a table's rows.

use crate::column::Table;
use crate::query::any_where::{AnyWhere, FieldPath};
use crate::query::predicate::{Comparison, Predicate};
use crate::value::Value;

/// A type-erased query: the rows of a table whose columns equal the given values and which match a condition, without an
/// order or a limit.
#[derive(Debug, Clone)]
pub struct AnyQuery {
    table: &'static Table,
    conditions: Vec<(usize, Value)>,
    condition: AnyWhere,
}

impl AnyQuery {
    /// Selects all rows of a table.
    pub fn from(table: &'static Table) -> Self {
        Self {
            table,
            conditions: Vec::new(),
            condition: AnyWhere::all(),
        }
    }

    /// Keeps rows whose column at this position equals the value; [`Value::Null`] matches rows without a value.
    pub fn filter(mut self, column: usize, value: Value) -> Self {
        self.conditions.push((column, value));
        self
    }

    /// Keeps rows that match the condition.
    pub fn restrict(mut self, condition: AnyWhere) -> Self {
        self.condition = self.condition.and(condition);
        self
    }

    /// Keeps rows that match a condition of the application. Equality with a column is kept separately, as by
    /// [`AnyQuery::filter`], so that a lookup by an indexed column counts as a short read.
    pub(crate) fn filter_where(self, condition: AnyWhere) -> Self {
        match condition {
            AnyWhere::And(conditions) => conditions.into_iter().fold(self, Self::filter_where),
            AnyWhere::Compare(path, predicate) if path.is_own_column() => self.filter_column(path, predicate),
            other => self.restrict(other),
        }
    }

    fn filter_column(self, path: FieldPath, predicate: Predicate) -> Self {
        match predicate {
            Predicate::Is(Comparison::Eq, value) => self.filter(path.position(), value),
            Predicate::Null(true) => self.filter(path.position(), Value::Null),
            other => self.restrict(AnyWhere::Compare(path, other)),
        }
    }

    /// Table of the query.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// Columns and the values that they must equal.
    pub fn conditions(&self) -> &[(usize, Value)] {
        &self.conditions
    }

    /// Additional condition.
    pub fn condition(&self) -> &AnyWhere {
        &self.condition
    }

    /// Converts the whole query to one condition.
    pub fn into_where(self) -> AnyWhere {
        let Self {
            table,
            conditions,
            condition,
        } = self;
        let equals = |(column, value)| AnyWhere::equals(table, column, value);
        conditions.into_iter().map(equals).fold(condition, AnyWhere::and)
    }

    /// Whether all rows of the table are selected.
    pub fn is_all(&self) -> bool {
        self.conditions.is_empty() && self.condition.is_all()
    }
}

impl AsRef<AnyQuery> for AnyQuery {
    fn as_ref(&self) -> &AnyQuery {
        self
    }
}
