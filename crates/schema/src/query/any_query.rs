//! Which rows are meant: a table and the conditions that its rows fulfil.

use crate::column::Table;
use crate::query::any_where::{AnyWhere, FieldPath};
use crate::query::predicate::{Comparison, Predicate};
use crate::value::Value;

/// The rows of a table whose columns have the given values and of which a condition holds.
#[derive(Debug, Clone)]
pub struct AnyQuery {
    table: &'static Table,
    conditions: Vec<(usize, Value)>,
    condition: AnyWhere,
}

impl AnyQuery {
    /// All rows of a table.
    pub fn from(table: &'static Table) -> Self {
        Self {
            table,
            conditions: Vec::new(),
            condition: AnyWhere::all(),
        }
    }

    /// Only those whose column at this position has this value; [`Value::Null`] means those that have none.
    pub fn filter(mut self, column: usize, value: Value) -> Self {
        self.conditions.push((column, value));
        self
    }

    /// Only those of which this holds.
    pub fn restrict(mut self, condition: AnyWhere) -> Self {
        self.condition = self.condition.and(condition);
        self
    }

    /// Keeps the rows that a condition of the application matches. Equality with a column is kept apart, as
    /// [`AnyQuery::filter`] does, so that a lookup by an indexed column counts as a short read.
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

    /// The table.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// The columns and the values that they must have.
    pub fn conditions(&self) -> &[(usize, Value)] {
        &self.conditions
    }

    /// What must hold besides.
    pub fn condition(&self) -> &AnyWhere {
        &self.condition
    }

    /// The whole select as one condition.
    pub fn into_where(self) -> AnyWhere {
        let Self {
            table,
            conditions,
            condition,
        } = self;
        let equals = |(column, value)| AnyWhere::equals(table, column, value);
        conditions.into_iter().map(equals).fold(condition, AnyWhere::and)
    }

    /// Whether all rows of the table are meant.
    pub fn is_all(&self) -> bool {
        self.conditions.is_empty() && self.condition.is_all()
    }
}

impl AsRef<AnyQuery> for AnyQuery {
    fn as_ref(&self) -> &AnyQuery {
        self
    }
}
