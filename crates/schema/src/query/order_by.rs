//! Typed sort keys.

use std::marker::PhantomData;

use crate::query::any_where::FieldPath;
use crate::query::sort::{Nulls, SortKey};

/// A sort key of the rows of a model, made by [`Field::asc`](crate::model::Field::asc) and
/// [`Field::desc`](crate::model::Field::desc).
pub struct OrderBy<M> {
    key: SortKey,
    marker: PhantomData<fn() -> M>,
}

impl<M> OrderBy<M> {
    pub(crate) fn new(path: FieldPath) -> Self {
        let key = SortKey {
            path,
            descending: false,
            nulls: Nulls::Last,
        };
        Self {
            key,
            marker: PhantomData,
        }
    }

    pub(crate) fn reversed(mut self) -> Self {
        self.key.descending = !self.key.descending;
        self
    }

    /// Puts rows without a value before all others.
    pub fn nulls_first(mut self) -> Self {
        self.key.nulls = Nulls::First;
        self
    }

    /// The sort key without its model's type.
    pub fn into_any(self) -> SortKey {
        self.key
    }
}

impl<M> Clone for OrderBy<M> {
    fn clone(&self) -> Self {
        Self {
            key: self.key.clone(),
            marker: PhantomData,
        }
    }
}

impl<M> std::fmt::Debug for OrderBy<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.key.fmt(f)
    }
}
