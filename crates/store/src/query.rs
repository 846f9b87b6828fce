//! Which rows are meant: a table and the conditions that its rows fulfil.

use std::marker::PhantomData;

use model_resource_schema::column::Table;
use model_resource_schema::column_type::ColumnType;
use model_resource_schema::model::{Field, Model};
use model_resource_schema::query::AnyWhere;
use model_resource_schema::value::Value;

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

/// The instances of `M` whose fields have the given values: a [`AnyQuery`] that knows its model.
pub struct Query<M> {
    select: AnyQuery,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Query<M> {
    /// All instances.
    pub fn new() -> Self {
        Self {
            select: AnyQuery::from(M::table()),
            marker: PhantomData,
        }
    }

    /// Only those whose field has this value; `None` means those that have none.
    pub fn filter<T: ColumnType>(self, field: Field<M, T>, value: T) -> Self {
        let select = self.select.filter(field.position(), value.to_value().to_value());
        Self {
            select,
            marker: PhantomData,
        }
    }

    /// The query without its model's type.
    pub fn as_any(&self) -> &AnyQuery {
        &self.select
    }
}

impl<M: Model> Default for Query<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M> Clone for Query<M> {
    fn clone(&self) -> Self {
        Self {
            select: self.select.clone(),
            marker: PhantomData,
        }
    }
}

impl<M> std::fmt::Debug for Query<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.select.fmt(f)
    }
}
