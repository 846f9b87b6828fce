//! Queries of groups of a model's rows.

use std::marker::PhantomData;

use crate::column_type::ColumnType;
use crate::model::{Field, Model};
use crate::query::any_aggregate::AnyAggregate;
use crate::query::group_value::{GroupOrder, GroupValue, Having, NumberType};
use crate::query::query::Query;

/// A query of groups of the rows of `M`, begun by [`Query::group_by`] or [`Query::aggregate`]. `Store::aggregate` returns
/// the groups.
///
/// ```ignore
/// let by_branch = Loan::query()
///     .filter(Loan::RETURNED.eq(true))
///     .group_by(Loan::BRANCH_ID)
///     .count()
///     .sum(Loan::FEE)
///     .order_by(Loan::FEE.sum().desc());
/// for group in store.aggregate(&by_branch).await? {
///     let (branch, loans) = (group.get(Loan::BRANCH_ID)?, group.count()?);
///     println!("{branch}: {loans} loans, {}", group.get(Loan::FEE.sum())?);
/// }
/// ```
pub struct Aggregate<M> {
    any: AnyAggregate,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Query<M> {
    /// Groups the instances by a field or a calendar unit of it. An order, an offset or a limit of groups follows; a
    /// query that has one already is an error when it is run.
    pub fn group_by<T: ColumnType>(self, key: impl Into<GroupValue<M, T>>) -> Aggregate<M> {
        self.aggregate().group_by(key)
    }

    /// Regards all instances as one group, whose aggregates follow.
    pub fn aggregate(self) -> Aggregate<M> {
        let is_list = !self.keys().is_empty() || self.skipped() > 0 || self.max_rows().is_some();
        let any = AnyAggregate::of(self.as_any().clone());
        Aggregate {
            any: if is_list { any.of_list() } else { any },
            marker: PhantomData,
        }
    }
}

impl<M: Model> Aggregate<M> {
    /// Groups by one more key.
    pub fn group_by<T: ColumnType>(self, key: impl Into<GroupValue<M, T>>) -> Self {
        self.with(key.into())
    }

    /// Adds the number of rows.
    pub fn count(self) -> Self {
        self.with(GroupValue::count())
    }

    /// Adds the number of different values of a field.
    pub fn count_distinct<T: ColumnType>(self, field: Field<M, T>) -> Self {
        self.with(field.count_distinct())
    }

    /// Adds the sum of a field.
    pub fn sum<T: NumberType>(self, field: Field<M, T>) -> Self {
        self.with(field.sum())
    }

    /// Adds the mean of a field.
    pub fn avg<T: NumberType>(self, field: Field<M, T>) -> Self {
        self.with(field.avg())
    }

    /// Adds the least value of a field.
    pub fn min<T: ColumnType>(self, field: Field<M, T>) -> Self {
        self.with(field.min())
    }

    /// Adds the greatest value of a field.
    pub fn max<T: ColumnType>(self, field: Field<M, T>) -> Self {
        self.with(field.max())
    }

    /// Keeps the groups that a condition matches. Several conditions must all match.
    pub fn having(mut self, condition: Having<M>) -> Self {
        let (value, predicate) = condition.into_any();
        self.any = self.any.having(value, predicate);
        self
    }

    /// Orders the groups by a value that the query returns, after the keys of earlier calls. The keys of the groups
    /// decide between equal ones.
    pub fn order_by(mut self, key: GroupOrder<M>) -> Self {
        self.any = self.any.order_by(key.into_any());
        self
    }

    /// Skips the first groups.
    pub fn offset(mut self, groups: u64) -> Self {
        self.any = self.any.offset(groups);
        self
    }

    /// Returns at most this many groups.
    pub fn limit(mut self, groups: u64) -> Self {
        self.any = self.any.limit(groups);
        self
    }

    /// The query without its model's type.
    pub fn as_any(&self) -> &AnyAggregate {
        &self.any
    }

    fn with<T>(mut self, value: GroupValue<M, T>) -> Self {
        self.any = self.any.value(value.as_any());
        self
    }
}

impl<M> Clone for Aggregate<M> {
    fn clone(&self) -> Self {
        Self {
            any: self.any.clone(),
            marker: PhantomData,
        }
    }
}

impl<M> std::fmt::Debug for Aggregate<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.any.fmt(f)
    }
}
