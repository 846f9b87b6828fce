//! A draft that knows its model's type.

use std::marker::PhantomData;

use crate::column_type::{ColumnType, TypeMismatch};
use crate::draft::AnyDraft;
use crate::model::{Field, Model, Record, Row};

/// What create, put and patch load: an instance of `M` whose columns are each set or not, and which knows what changed.
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
    /// A new object with nothing set.
    pub fn new() -> Self {
        Self::from_any(AnyDraft::new(M::table()))
    }

    /// A change of an existing instance, with nothing changed yet.
    pub fn of(instance: &M) -> Self {
        let table = M::table();
        Self::from_any(AnyDraft::of(table, Record::copy(instance, table)))
    }

    /// Gives a draft its model's type back.
    pub fn from_any(draft: AnyDraft) -> Self {
        debug_assert!(
            std::ptr::eq(draft.table(), M::table()),
            "a draft of another table"
        );
        Self {
            draft,
            marker: PhantomData,
        }
    }

    /// The draft without its model's type, borrowed.
    pub fn as_any(&self) -> &AnyDraft {
        &self.draft
    }

    /// The draft without its model's type.
    pub fn into_any(self) -> AnyDraft {
        self.draft
    }

    /// The column's value: the one set, or else the saved one.
    pub fn get<T: ColumnType>(&self, field: Field<M, T>) -> Option<T> {
        self.draft
            .get(field.position())
            .and_then(|value| T::from_value(value).ok())
    }

    /// The column's saved value, of a change of an existing row.
    pub fn saved<T: ColumnType>(&self, field: Field<M, T>) -> Option<T> {
        let base = self.draft.original()?;
        T::from_value(base.value(field.position())).ok()
    }

    /// Sets the column, normalized by its `trim` and `lowercase`.
    pub fn set<T: ColumnType>(&mut self, field: Field<M, T>, value: T) {
        let value = field.column().normalize(value.to_value().to_value());
        self.draft.set(field.position(), value);
        self.draft.unchecked.push(field.position());
    }

    /// Whether saving would change the column.
    pub fn is_changed<T: ColumnType>(&self, field: Field<M, T>) -> bool {
        self.draft.is_changed(field.position())
    }

    /// An extra input that belongs to no column, by its wire name.
    pub fn extra<T: ColumnType>(&self, name: &str) -> Option<T> {
        self.draft.extra(name).and_then(|value| T::from_value(value).ok())
    }

    /// The instance that the draft describes; fails while a column without value is left.
    pub fn instance(&self) -> Result<M, TypeMismatch> {
        M::from_row(&self.draft)
    }
}
