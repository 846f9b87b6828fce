//! Groups that an aggregate returns.

use std::marker::PhantomData;
use std::sync::Arc;

use model_resource_schema::column_type::ColumnType;
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::{Model, Record};
use model_resource_schema::query::{AnyGroupValue, GroupValue, exact_scale};
use model_resource_schema::value::{Value, ValueRef};
use rust_decimal::Decimal;

use crate::error::{Error, Result};

/// A group of rows of `M`: its keys and aggregates.
pub struct GroupRow<M> {
    names: Arc<[AnyGroupValue]>,
    values: Record,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> GroupRow<M> {
    pub(crate) fn new(names: Arc<[AnyGroupValue]>, values: Record) -> Self {
        Self {
            names,
            values,
            marker: PhantomData,
        }
    }

    /// Returns a key or an aggregate of the group.
    ///
    /// # Errors
    /// If the query does not return it; if there is no value, unless `T` is an `Option` (a group without rows has no
    /// sum, mean, minimum or maximum: see [`GroupRow::get_optional`]); [`StoreError::OutOfRange`](crate::StoreError::OutOfRange)
    /// if a sum of integers exceeds `i64`.
    pub fn get<T: ColumnType>(&self, value: impl Into<GroupValue<M, T>>) -> Result<T> {
        let value = value.into().as_any();
        match self.find(value)? {
            ValueRef::Null if !T::NULLABLE => Err(Error::Failed(format!(
                "a group has no value of {value:?}: use `get_optional`"
            ))),
            found => read(value, found),
        }
    }

    /// Returns a key or an aggregate of the group, or `None` if it has no value.
    ///
    /// # Errors
    /// As for [`GroupRow::get`].
    pub fn get_optional<T: ColumnType>(&self, value: impl Into<GroupValue<M, T>>) -> Result<Option<T>> {
        let value = value.into().as_any();
        match self.find(value)? {
            ValueRef::Null => Ok(None),
            found => read(value, found).map(Some),
        }
    }

    /// Returns the number of rows.
    ///
    /// # Errors
    /// If the query does not count them.
    pub fn count(&self) -> Result<i64> {
        self.get(GroupValue::count())
    }

    fn find(&self, value: AnyGroupValue) -> Result<ValueRef<'_>> {
        let position = self.names.iter().position(|known| *known == value);
        let found = position.map(|position| self.values.values()[position].borrow());
        found.ok_or_else(|| Error::Failed(format!("the query of the group does not return {value:?}")))
    }
}

/// Leaves the values out: they may be secrets, and this is logged.
impl<M> std::fmt::Debug for GroupRow<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GroupRow")
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}

fn read<T: ColumnType>(value: AnyGroupValue, found: ValueRef<'_>) -> Result<T> {
    T::from_value(found).map_err(|mismatch| match (value, found) {
        // An integer beyond 64 bits.
        (AnyGroupValue::Sum(_), ValueRef::Decimal(_)) => Error::OutOfRange,
        _ => Error::Failed(format!("{value:?} of a group: {mismatch}")),
    })
}

/// Sum of numbers of this type from its units: an integer if it is one of 64 bits, else a decimal.
pub(crate) fn sum_of_units(units: i128, data_type: DataType) -> Result<Value> {
    let scale = exact_scale(data_type).unwrap_or_default();
    match i64::try_from(units) {
        Ok(units) if !matches!(data_type, DataType::Decimal { .. }) => Ok(Value::Int(units)),
        _ => Decimal::try_from_i128_with_scale(units, scale.into())
            .map(Value::Decimal)
            .map_err(|_| Error::OutOfRange),
    }
}

/// Rejects a sum of floating-point numbers beyond their range.
pub(crate) fn finite(value: Value) -> Result<Value> {
    match value {
        Value::Double(number) if !number.is_finite() => Err(Error::OutOfRange),
        value => Ok(value),
    }
}
