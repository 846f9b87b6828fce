//! Typed values of groups: keys and aggregates, and the conditions and sort keys that use them.

use std::marker::PhantomData;

use jiff::Timestamp;
use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::column_type::ColumnType;
use crate::model::{Field, Model};
use crate::query::any_aggregate::{AnyGroupValue, CalendarUnit, GroupSort};
use crate::query::predicate::{Comparison, Predicate};
use crate::query::sort::Nulls;

/// A value of type `T` of a group of rows of `M`: a key such as `Loan::BRANCH_ID` or `Loan::LOANED_AT.month()`, or an
/// aggregate such as `Loan::FEE.sum()`.
pub struct GroupValue<M, T> {
    value: AnyGroupValue,
    marker: PhantomData<fn() -> (M, T)>,
}

/// A condition on groups, made by the comparisons of [`GroupValue`].
pub struct Having<M> {
    value: AnyGroupValue,
    predicate: Predicate,
    marker: PhantomData<fn() -> M>,
}

/// A sort key of groups, made by [`GroupValue::asc`] and [`GroupValue::desc`].
pub struct GroupOrder<M> {
    key: GroupSort,
    marker: PhantomData<fn() -> M>,
}

/// A type of numbers, whose values have a sum and a mean.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number, so that there is no sum or mean of it",
    note = "numbers are i16, i32, i64, f32, f64, Decimal, and an Option of each"
)]
pub trait NumberType: ColumnType {
    /// Type of sums.
    type Sum: ColumnType;
    /// Type of means: `f64`, or an Option of it.
    type Mean: ColumnType;
}

/// A type of dates or points in time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no date or timestamp, so that it has no day, month or year",
    note = "only Date, Timestamp, and an Option of each have them"
)]
pub trait CalendarType: ColumnType {
    /// `T`, or an Option of it if there may be no date.
    type Of<T: ColumnType>: ColumnType;
}

macro_rules! numbers {
    ($($type:ty: $sum:ty),*) => { $(
        impl NumberType for $type {
            type Sum = $sum;
            type Mean = f64;
        }
    )* };
}

numbers!(i16: i64, i32: i64, i64: i64, f32: f64, f64: f64, Decimal: Decimal);

impl<T: NumberType> NumberType for Option<T> {
    type Sum = Option<T::Sum>;
    type Mean = Option<T::Mean>;
}

impl CalendarType for Date {
    type Of<T: ColumnType> = T;
}

impl CalendarType for Timestamp {
    type Of<T: ColumnType> = T;
}

macro_rules! days {
    ($($feature:literal: $type:ty),*) => { $(
        #[cfg(feature = $feature)]
        impl CalendarType for $type {
            type Of<T: ColumnType> = T;
        }
    )* };
}

days!(
    "chrono": chrono::DateTime<chrono::Utc>,
    "chrono": chrono::NaiveDate,
    "time": time::OffsetDateTime,
    "time": time::Date
);

impl<C: CalendarType> CalendarType for Option<C> {
    type Of<T: ColumnType> = Option<C::Of<T>>;
}

/// Aggregates of a field, and calendar units to group by.
impl<M: Model, T: ColumnType> Field<M, T> {
    /// Number of different values in a group; null is none.
    pub fn count_distinct(self) -> GroupValue<M, i64> {
        GroupValue::new(AnyGroupValue::CountDistinct(self.position()))
    }

    /// Sum of the values of a group, exact unless they are floating-point numbers.
    pub fn sum(self) -> GroupValue<M, T::Sum>
    where
        T: NumberType,
    {
        GroupValue::new(AnyGroupValue::Sum(self.position()))
    }

    /// Mean of the values of a group.
    pub fn avg(self) -> GroupValue<M, T::Mean>
    where
        T: NumberType,
    {
        GroupValue::new(AnyGroupValue::Average(self.position()))
    }

    /// Least value of a group. Booleans, bytes, UUIDs and documents have none.
    pub fn min(self) -> GroupValue<M, T> {
        GroupValue::new(AnyGroupValue::Min(self.position()))
    }

    /// Greatest value of a group. Booleans, bytes, UUIDs and documents have none.
    pub fn max(self) -> GroupValue<M, T> {
        GroupValue::new(AnyGroupValue::Max(self.position()))
    }

    /// Day in UTC, to group by.
    pub fn day(self) -> GroupValue<M, T::Of<Date>>
    where
        T: CalendarType,
    {
        GroupValue::new(AnyGroupValue::Calendar(CalendarUnit::Day, self.position()))
    }

    /// Month in UTC such as `2026-01`, to group by.
    pub fn month(self) -> GroupValue<M, T::Of<String>>
    where
        T: CalendarType,
    {
        GroupValue::new(AnyGroupValue::Calendar(CalendarUnit::Month, self.position()))
    }

    /// Year in UTC, to group by.
    pub fn year(self) -> GroupValue<M, T::Of<i32>>
    where
        T: CalendarType,
    {
        GroupValue::new(AnyGroupValue::Calendar(CalendarUnit::Year, self.position()))
    }
}

impl<M> GroupValue<M, i64> {
    /// Number of rows of a group.
    pub fn count() -> Self {
        Self::new(AnyGroupValue::Count)
    }
}

impl<M, T> GroupValue<M, T> {
    fn new(value: AnyGroupValue) -> Self {
        Self {
            value,
            marker: PhantomData,
        }
    }

    /// The value without its types.
    pub fn as_any(self) -> AnyGroupValue {
        self.value
    }

    /// Ascending order of the groups; those without a value come last.
    pub fn asc(self) -> GroupOrder<M> {
        GroupOrder {
            key: GroupSort {
                value: self.value,
                descending: false,
                nulls: Nulls::Last,
            },
            marker: PhantomData,
        }
    }

    /// Descending order of the groups; those without a value come last.
    pub fn desc(self) -> GroupOrder<M> {
        let mut order = self.asc();
        order.key.descending = true;
        order
    }
}

impl<M, T: ColumnType> GroupValue<M, T> {
    /// Groups whose value equals this one.
    pub fn eq(self, value: impl Into<T>) -> Having<M> {
        self.compare(Comparison::Eq, value.into())
    }

    /// Groups whose value is greater.
    pub fn gt(self, value: impl Into<T>) -> Having<M> {
        self.compare(Comparison::Gt, value.into())
    }

    /// Groups whose value is greater or equal.
    pub fn gte(self, value: impl Into<T>) -> Having<M> {
        self.compare(Comparison::Gte, value.into())
    }

    /// Groups whose value is less.
    pub fn lt(self, value: impl Into<T>) -> Having<M> {
        self.compare(Comparison::Lt, value.into())
    }

    /// Groups whose value is less or equal.
    pub fn lte(self, value: impl Into<T>) -> Having<M> {
        self.compare(Comparison::Lte, value.into())
    }

    fn compare(self, comparison: Comparison, value: T) -> Having<M> {
        Having {
            value: self.value,
            predicate: Predicate::Is(comparison, value.to_value().to_value()),
            marker: PhantomData,
        }
    }
}

impl<M> Having<M> {
    pub(crate) fn into_any(self) -> (AnyGroupValue, Predicate) {
        (self.value, self.predicate)
    }
}

impl<M> GroupOrder<M> {
    /// Puts groups without a value before all others.
    pub fn nulls_first(mut self) -> Self {
        self.key.nulls = Nulls::First;
        self
    }

    pub(crate) fn into_any(self) -> GroupSort {
        self.key
    }
}

impl<M: Model, T: ColumnType> From<Field<M, T>> for GroupValue<M, T> {
    fn from(field: Field<M, T>) -> Self {
        Self::new(AnyGroupValue::Column(field.position()))
    }
}

impl<M, T> Clone for GroupValue<M, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, T> Copy for GroupValue<M, T> {}

impl<M, T> std::fmt::Debug for GroupValue<M, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value.fmt(f)
    }
}
