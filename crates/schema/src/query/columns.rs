//! Sets of columns, typed and type-erased.

use std::marker::PhantomData;

use crate::column_type::ColumnType;
use crate::model::{Field, Model};

/// A type-erased set of columns, by position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnyColumns(Vec<usize>);

impl AnyColumns {
    /// Empty set.
    pub const NONE: Self = Self(Vec::new());

    /// Whether the set contains the column at this position.
    pub fn contains(&self, position: usize) -> bool {
        self.0.contains(&position)
    }

    /// Whether two sets share a column.
    pub fn intersects(&self, other: &Self) -> bool {
        self.0.iter().any(|position| other.contains(*position))
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Extend<usize> for AnyColumns {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, positions: I) {
        self.0.extend(positions);
    }
}

/// A set of columns of a model: `Columns::of(Ticket::NOTE).and(Ticket::PRICE)`. Misspelt columns do not compile.
pub struct Columns<M> {
    set: AnyColumns,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Columns<M> {
    /// Creates an empty set.
    pub const fn none() -> Self {
        Self {
            set: AnyColumns::NONE,
            marker: PhantomData,
        }
    }

    /// Creates a set with the column of this field.
    pub fn of<T: ColumnType>(field: Field<M, T>) -> Self {
        Self::none().and(field)
    }

    /// Adds the column of this field.
    pub fn and<T: ColumnType>(mut self, field: Field<M, T>) -> Self {
        self.set.extend([field.position()]);
        self
    }

    /// Whether the set contains the column of this field.
    pub fn contains<T: ColumnType>(&self, field: Field<M, T>) -> bool {
        self.set.contains(field.position())
    }

    /// Converts to the type-erased set.
    pub fn into_any(self) -> AnyColumns {
        self.set
    }
}

impl<M> std::fmt::Debug for Columns<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.set.fmt(f)
    }
}

impl<M> PartialEq for Columns<M> {
    fn eq(&self, other: &Self) -> bool {
        self.set == other.set
    }
}
