//! Typed drafts.

use std::marker::PhantomData;

use crate::column_type::{ColumnType, TypeMismatch};
use crate::draft::AnyDraft;
use crate::model::{Field, Model, Record, Row};

/// An instance of `M` being created or changed: each column is set or unset. Loaded by create, put and patch.
#[derive(Debug, PartialEq)]
pub struct Draft<M> {
    draft: AnyDraft,
    marker: PhantomData<fn() -> M>,
}

impl<M> Clone for Draft<M> {
    fn clone(&self) -> Self {
        Self {
            draft: self.draft.clone(),
            marker: PhantomData,
        }
    }
}

impl<M: Model> Default for Draft<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Model> Draft<M> {
    /// Creates the draft of a new object.
    pub fn new() -> Self {
        Self::from_any(AnyDraft::new(M::table()))
    }

    /// Creates a draft that changes an existing instance.
    pub fn of(instance: &M) -> Self {
        let table = M::table();
        Self::from_any(AnyDraft::of(table, Record::copy(instance, table)))
    }

    /// Converts a type-erased draft to its model's type.
    pub fn from_any(draft: AnyDraft) -> Self {
        debug_assert!(draft.table().id() == M::table().id(), "a draft of another table");
        Self {
            draft,
            marker: PhantomData,
        }
    }

    /// Borrows the type-erased draft.
    pub fn as_any(&self) -> &AnyDraft {
        &self.draft
    }

    /// Converts to the type-erased draft.
    pub fn into_any(self) -> AnyDraft {
        self.draft
    }

    /// Returns the column's value: the one set, or else the saved one.
    pub fn get<T: ColumnType>(&self, field: Field<M, T>) -> Option<T> {
        self.draft
            .get(field.position())
            .and_then(|value| T::from_value(value).ok())
    }

    /// Returns the column's saved value, if the draft changes an existing row.
    pub fn saved<T: ColumnType>(&self, field: Field<M, T>) -> Option<T> {
        let base = self.draft.original()?;
        T::from_value(base.value(field.position())).ok()
    }

    /// Sets the column, normalized by its `trim`, `lowercase` and `nfc`.
    pub fn set<T: ColumnType>(&mut self, field: Field<M, T>, value: T) {
        let value = field.column().normalize(value.to_value().to_value());
        self.draft.set(field.position(), value);
        self.draft.unchecked.push(field.position());
    }

    /// Sets the column and returns the draft: `Draft::new().with(Tag::NAME, "rust")`.
    #[must_use]
    pub fn with<T: ColumnType>(mut self, field: Field<M, T>, value: impl Into<T>) -> Self {
        self.set(field, value.into());
        self
    }

    /// Whether saving would change the column.
    pub fn is_changed<T: ColumnType>(&self, field: Field<M, T>) -> bool {
        self.draft.is_changed(field.position())
    }

    /// Returns an extra field that is not a column, by its wire name.
    pub fn extra<T: ColumnType>(&self, name: &str) -> Option<T> {
        self.draft.extra(name).and_then(|value| T::from_value(value).ok())
    }

    /// Returns the instance that the draft describes; fails if a column has no value.
    pub fn instance(&self) -> Result<M, TypeMismatch> {
        M::from_row(&self.draft)
    }
}
