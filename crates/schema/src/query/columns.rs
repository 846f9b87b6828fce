//! Sets of columns, typed and type-erased.

use std::marker::PhantomData;

use crate::column::{Column, Table};
use crate::column_type::ColumnType;
use crate::model::{Field, Model};

/// A type-erased set of columns: one bit for each position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AnyColumns(u128);

impl AnyColumns {
    /// Empty set.
    pub const NONE: Self = Self(0);
    /// Every column of any table.
    pub const ALL: Self = Self(u128::MAX);

    /// Adds the column at this position.
    ///
    /// # Panics
    /// If the position is not below [`Table::MAX_COLUMNS`].
    #[must_use]
    #[track_caller]
    pub const fn with(self, position: usize) -> Self {
        assert!(
            position < Table::MAX_COLUMNS,
            "no table has a column at this position: a table has at most 128 columns"
        );
        Self(self.0 | 1 << position)
    }

    /// Columns of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Columns of this set that the other does not contain.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set contains the column at this position.
    pub const fn contains(self, position: usize) -> bool {
        position < Table::MAX_COLUMNS && self.0 & (1 << position) != 0
    }

    /// Whether two sets share a column.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Columns of this table that the set contains, with their positions.
    pub fn of_table(self, table: &Table) -> impl Iterator<Item = (usize, &'static Column)> {
        let columns = table.columns.iter().enumerate();
        columns.filter(move |(position, _)| self.contains(*position))
    }
}

/// A set of columns of a model, built in a constant from the constants of its fields. A misspelt column does not
/// compile.
///
/// ```
/// use model_resource_schema::query::Columns;
/// # use model_resource_schema::column::Table;
/// # use model_resource_schema::column_type::TypeMismatch;
/// # use model_resource_schema::model::{Field, Model, Row};
/// # use model_resource_schema::value::ValueRef;
/// # struct User;
/// # impl User {
/// #     const ID: Field<User, i64> = Field::at(0);
/// #     const EMAIL: Field<User, String> = Field::at(1);
/// #     const PASSWORD_HASH: Field<User, String> = Field::at(2);
/// # }
/// # impl Row for User {
/// #     fn value(&self, _: usize) -> ValueRef<'_> { unreachable!() }
/// # }
/// # impl Model for User {
/// #     fn table() -> &'static Table { unreachable!() }
/// #     fn from_row(_: &dyn Row) -> Result<Self, TypeMismatch> { unreachable!() }
/// # }
///
/// const PRIVATE: Columns<User> = Columns::of(User::EMAIL).and(User::PASSWORD_HASH);
///
/// assert!(PRIVATE.contains(User::EMAIL) && !PRIVATE.contains(User::ID));
/// ```
pub struct Columns<M> {
    set: AnyColumns,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Columns<M> {
    /// Empty set.
    pub const fn none() -> Self {
        Self::from_any(AnyColumns::NONE)
    }

    /// Every column of the model.
    pub const fn all() -> Self {
        Self::from_any(AnyColumns::ALL)
    }

    /// Creates a set with the column of this field.
    pub const fn of<T: ColumnType>(field: Field<M, T>) -> Self {
        Self::none().and(field)
    }

    /// Adds the column of this field.
    #[must_use]
    pub const fn and<T: ColumnType>(self, field: Field<M, T>) -> Self {
        Self::from_any(self.set.with(field.position()))
    }

    /// Columns of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self::from_any(self.set.union(other.set))
    }

    /// Whether the set contains the column of this field.
    pub const fn contains<T: ColumnType>(self, field: Field<M, T>) -> bool {
        self.set.contains(field.position())
    }

    /// Converts to the type-erased set.
    pub const fn into_any(self) -> AnyColumns {
        self.set
    }

    const fn from_any(set: AnyColumns) -> Self {
        Self {
            set,
            marker: PhantomData,
        }
    }
}

impl<M> Clone for Columns<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Columns<M> {}

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

impl<M> Eq for Columns<M> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_contains_the_columns_that_were_added() {
        const LAST: usize = Table::MAX_COLUMNS - 1;
        const SET: AnyColumns = AnyColumns::NONE.with(0).with(LAST);
        let other = AnyColumns::NONE.with(1);
        assert!(SET.contains(0) && SET.contains(LAST) && !SET.contains(1));
        assert!(!SET.intersects(other) && SET.intersects(SET.union(other)));
        assert_eq!(SET.union(other), other.with(0).with(LAST));
        assert!(AnyColumns::NONE.is_empty() && !SET.is_empty());
        assert!(AnyColumns::ALL.contains(LAST) && !AnyColumns::ALL.contains(Table::MAX_COLUMNS));
    }

    #[test]
    #[should_panic(expected = "at most 128 columns")]
    fn a_position_that_no_table_has_is_rejected() {
        let _ = AnyColumns::NONE.with(Table::MAX_COLUMNS);
    }
}
