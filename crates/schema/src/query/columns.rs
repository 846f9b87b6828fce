//! Columns that know the model whose they are.

use std::marker::PhantomData;

use crate::column_type::ColumnType;
use crate::model::{Field, Model};

/// Some columns of a table, by their positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnyColumns(Vec<usize>);

impl AnyColumns {
    /// No column.
    pub const NONE: Self = Self(Vec::new());

    /// Whether the column at this position is one of them.
    pub fn contains(&self, position: usize) -> bool {
        self.0.contains(&position)
    }

    /// Whether some column is in both sets.
    pub fn intersects(&self, other: &Self) -> bool {
        self.0.iter().any(|position| other.contains(*position))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Extend<usize> for AnyColumns {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, positions: I) {
        self.0.extend(positions);
    }
}

/// Some columns of a model: `Columns::of(Ticket::NOTE).and(Ticket::PRICE)`. What is misspelt does not compile.
pub struct Columns<M> {
    set: AnyColumns,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Columns<M> {
    /// No column.
    pub const fn none() -> Self {
        Self {
            set: AnyColumns::NONE,
            marker: PhantomData,
        }
    }

    /// The column of this field.
    pub fn of<T: ColumnType>(field: Field<M, T>) -> Self {
        Self::none().and(field)
    }

    /// That of this field, too.
    pub fn and<T: ColumnType>(mut self, field: Field<M, T>) -> Self {
        self.set.extend([field.position()]);
        self
    }

    /// Whether the column of this field is one of them.
    pub fn contains<T: ColumnType>(&self, field: Field<M, T>) -> bool {
        self.set.contains(field.position())
    }

    /// The columns without their model's type.
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
