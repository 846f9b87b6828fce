//! Aggregates of a store.

use std::sync::Arc;

use model_resource_schema::data_type::DataType;
use model_resource_schema::model::{Model, Record};
use model_resource_schema::query::{Aggregate, AnyAggregate, AnyGroupValue};

use crate::backend::{Backend as _, ReadLength};
use crate::database::call_async;
use crate::error::{Error, Result};
use crate::group_row::GroupRow;
use crate::list_query::ListQuery;
use crate::store::Store;

impl Store {
    /// Returns the groups of a query, in its order. The database groups the rows; the groups are held in memory, 32 MiB
    /// at most.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`](crate::StoreError::OutOfRange) if a sum exceeds the range of its type: 28 digits, or
    /// that of floating-point numbers.
    pub async fn aggregate<M: Model>(&self, query: &Aggregate<M>) -> Result<Vec<GroupRow<M>>> {
        let names: Arc<[AnyGroupValue]> = query.as_any().values().collect();
        let groups = self.aggregate_any(query.as_any()).await?;
        let group = |values| GroupRow::new(Arc::clone(&names), values);
        Ok(groups.into_iter().map(group).collect())
    }

    /// Returns the groups of a query: the values of each in the order of [`AnyAggregate::values`]. A sum of integers is
    /// an integer, or a decimal if it exceeds 64 bits.
    pub async fn aggregate_any(&self, query: &AnyAggregate) -> Result<Vec<Record>> {
        query.check().map_err(Error::Failed)?;
        let length = if self.is_short_aggregate(query) {
            ReadLength::Short
        } else {
            ReadLength::Long
        };
        let (timer, asked) = (self.slow.start(), query.clone());
        let outcome = call_async!(*self.reads_from(), backend => backend.aggregate(asked, length));
        if let Some(slow) = timer.slow() {
            self.log_slow_list(slow, "aggregate", ListQuery::of(query.select().clone()));
        }
        outcome
    }

    /// Whether a query of groups is no search, because its table is known to have few rows, its conditions depend on no other
    /// table and compare no patterns, and it reads no values that may be long.
    pub fn is_short_aggregate(&self, query: &AnyAggregate) -> bool {
        let table = query.table();
        let mut columns = query.values().filter_map(|value| value.column());
        let may_be_long = |column: usize| {
            let data_type = table.columns[column].data_type;
            matches!(data_type, DataType::Text | DataType::Bytes | DataType::Json)
        };
        if columns.any(may_be_long) {
            return false;
        }
        let rows = ListQuery::of(query.select().clone());
        rows.of_small_table(self.is_small(query.table()))
            .is_of_small_table()
    }
}
