//! Type-erased aggregates: groups of a table's rows, with their keys, counts, sums and the like.

use crate::column::Table;
use crate::data_type::DataType;
use crate::query::any_query::AnyQuery;
use crate::query::any_where::AnyWhere;
use crate::query::predicate::Predicate;
use crate::query::sort::Nulls;

/// Calendar unit of a date or a timestamp, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalendarUnit {
    /// A day, as a date.
    Day,
    /// A month, as a text such as `2026-01`.
    Month,
    /// A year, as an integer.
    Year,
}

/// A type-erased value of a group of rows: a key, by which rows are grouped, or an aggregate of the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnyGroupValue {
    /// Key: the value of the column at this position.
    Column(usize),
    /// Key: the calendar unit of a column.
    Calendar(CalendarUnit, usize),
    /// Number of rows.
    Count,
    /// Number of different values of a column; null is none.
    CountDistinct(usize),
    /// Exact sum of a column; approximate for floating-point numbers. Null if the group has no value.
    Sum(usize),
    /// Mean of a column as a double. Null if the group has no value.
    Average(usize),
    /// Least value of a column. Null if the group has no value.
    Min(usize),
    /// Greatest value of a column. Null if the group has no value.
    Max(usize),
}

/// A sort key of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupSort {
    /// Value of the group, which the query returns.
    pub value: AnyGroupValue,
    /// Whether the order is descending.
    pub descending: bool,
    /// Position of groups without the value.
    pub nulls: Nulls,
}

/// Digits of a sum: as many as a `Decimal` always holds.
const SUM_DIGITS: u8 = 28;

impl AnyGroupValue {
    /// Whether rows are grouped by it.
    pub fn is_key(self) -> bool {
        matches!(self, Self::Column(_) | Self::Calendar(..))
    }

    /// Position of its column; `None` for the number of rows.
    pub fn column(self) -> Option<usize> {
        match self {
            Self::Count => None,
            Self::Column(column) | Self::Calendar(_, column) | Self::CountDistinct(column) => Some(column),
            Self::Sum(column) | Self::Average(column) | Self::Min(column) | Self::Max(column) => Some(column),
        }
    }

    /// Data type of the value. Sums of integers are decimals without decimal places.
    pub fn data_type(self, table: &Table) -> DataType {
        let of = |column: usize| table.columns[column].data_type;
        match self {
            Self::Column(column) | Self::Min(column) | Self::Max(column) => of(column),
            Self::Calendar(CalendarUnit::Day, _) => DataType::Date,
            Self::Calendar(CalendarUnit::Month, _) => DataType::Text,
            Self::Calendar(CalendarUnit::Year, _) => DataType::I32,
            Self::Count | Self::CountDistinct(_) => DataType::I64,
            Self::Sum(column) => exact_scale(of(column)).map_or(DataType::F64, |scale| DataType::Decimal {
                precision: SUM_DIGITS,
                scale,
            }),
            Self::Average(_) => DataType::F64,
        }
    }

    /// Whether it is a sum of integers, which is an integer of any size.
    pub fn is_whole_sum(self, table: &Table) -> bool {
        match self {
            Self::Sum(column) => is_integer(table.columns[column].data_type),
            _ => false,
        }
    }

    /// Whether columns of this type have such a value.
    pub fn applies_to(self, data_type: DataType) -> bool {
        match self {
            Self::Count => true,
            Self::Column(_) | Self::CountDistinct(_) => data_type != DataType::Json,
            Self::Calendar(..) => matches!(data_type, DataType::Date | DataType::Timestamp),
            Self::Sum(_) | Self::Average(_) => {
                exact_scale(data_type).is_some() || matches!(data_type, DataType::F32 | DataType::F64)
            }
            Self::Min(_) | Self::Max(_) => !matches!(
                data_type,
                DataType::Bool | DataType::Bytes | DataType::Uuid | DataType::Json
            ),
        }
    }

    /// Whether groups may be without the value. `is_grouped` says that each group has a row.
    pub fn is_nullable(self, table: &Table, is_grouped: bool) -> bool {
        match self {
            Self::Count | Self::CountDistinct(_) => false,
            Self::Column(column) | Self::Calendar(_, column) => table.columns[column].nullable,
            Self::Sum(column) | Self::Average(column) | Self::Min(column) | Self::Max(column) => {
                !is_grouped || table.columns[column].nullable
            }
        }
    }
}

/// Decimal places of numbers that are added exactly: integers and decimals.
pub fn exact_scale(data_type: DataType) -> Option<u8> {
    match data_type {
        DataType::Decimal { scale, .. } => Some(scale),
        data_type => is_integer(data_type).then_some(0),
    }
}

fn is_integer(data_type: DataType) -> bool {
    matches!(data_type, DataType::I16 | DataType::I32 | DataType::I64)
}

/// A type-erased query of groups: the selected rows, grouped by keys, with aggregates of each group. Without keys, all
/// rows are one group, which exists even if it is empty.
#[derive(Debug, Clone)]
pub struct AnyAggregate {
    select: AnyQuery,
    keys: Vec<AnyGroupValue>,
    aggregates: Vec<AnyGroupValue>,
    having: Vec<(AnyGroupValue, Predicate)>,
    order: Vec<GroupSort>,
    offset: u64,
    limit: Option<u64>,
    /// Whether it was made of a query with an order, an offset or a limit of rows.
    is_of_list: bool,
}

impl AnyAggregate {
    /// Begins a query of groups of these rows.
    pub fn of(select: AnyQuery) -> Self {
        Self {
            select,
            keys: Vec::new(),
            aggregates: Vec::new(),
            having: Vec::new(),
            order: Vec::new(),
            offset: 0,
            limit: None,
            is_of_list: false,
        }
    }

    /// Marks the query as invalid, because it was made of rows in an order, or of some of them.
    pub(crate) fn of_list(mut self) -> Self {
        self.is_of_list = true;
        self
    }

    /// Keeps rows that match the condition.
    pub fn restrict(mut self, condition: AnyWhere) -> Self {
        self.select = self.select.restrict(condition);
        self
    }

    /// Adds a key or an aggregate. A repeated one is added once.
    pub fn value(mut self, value: AnyGroupValue) -> Self {
        let values = if value.is_key() {
            &mut self.keys
        } else {
            &mut self.aggregates
        };
        if !values.contains(&value) {
            values.push(value);
        }
        self
    }

    /// Keeps the groups whose value matches.
    pub fn having(mut self, value: AnyGroupValue, predicate: Predicate) -> Self {
        self.having.push((value, predicate));
        self
    }

    /// Orders the groups, after earlier sort keys. The keys of the groups follow by themselves, so that the order is
    /// total.
    pub fn order_by(mut self, key: GroupSort) -> Self {
        self.order.push(key);
        self
    }

    /// Skips the first groups.
    pub fn offset(mut self, groups: u64) -> Self {
        self.offset = groups;
        self
    }

    /// Limits the number of groups.
    pub fn limit(mut self, groups: u64) -> Self {
        self.limit = Some(groups);
        self
    }

    /// Rows that are grouped.
    pub fn select(&self) -> &AnyQuery {
        &self.select
    }

    /// Table of the rows.
    pub fn table(&self) -> &'static Table {
        self.select.table()
    }

    /// Keys by which rows are grouped.
    pub fn keys(&self) -> &[AnyGroupValue] {
        &self.keys
    }

    /// Values of each group in the order of the result: the keys, then the aggregates.
    pub fn values(&self) -> impl Iterator<Item = AnyGroupValue> {
        self.keys.iter().chain(&self.aggregates).copied()
    }

    /// Conditions of the groups.
    pub fn conditions(&self) -> &[(AnyGroupValue, Predicate)] {
        &self.having
    }

    /// Total order of the groups: the sort keys, then the keys that are not among them.
    pub fn total_order(&self) -> Vec<GroupSort> {
        let mut order = self.order.clone();
        for value in self.keys.iter().copied() {
            if order.iter().all(|known| known.value != value) {
                order.push(GroupSort {
                    value,
                    descending: false,
                    nulls: Nulls::Last,
                });
            }
        }
        order
    }

    /// Number of groups that are skipped.
    pub fn skipped(&self) -> u64 {
        self.offset
    }

    /// Maximum number of groups.
    pub fn max_groups(&self) -> Option<u64> {
        self.limit
    }

    /// Rejects values that columns do not have, an order by values that are not returned, and groups of a part of a list.
    pub fn check(&self) -> Result<(), String> {
        if self.is_of_list {
            let message =
                "the order, the offset and the limit of groups come after `group_by` or `aggregate`";
            return Err(message.to_owned());
        }
        let columns = self.table().columns;
        let having = self.having.iter().map(|(value, _)| *value);
        for value in self.values().chain(having) {
            let column = value.column().map(|column| &columns[column]);
            if let Some(column) = column.filter(|column| !value.applies_to(column.data_type)) {
                return Err(format!(
                    "`{}` is {:?}, which has no such value: {value:?}",
                    column.name, column.data_type
                ));
            }
        }
        if let Some((value, _)) = self.having.iter().find(|(value, _)| value.is_key()) {
            return Err(format!(
                "groups are selected by their key {value:?}: filter the rows instead"
            ));
        }
        let is_unknown = |value: &AnyGroupValue| self.values().all(|known| known != *value);
        match self.order.iter().map(|key| key.value).find(is_unknown) {
            Some(value) => Err(format!(
                "groups are ordered by {value:?}, which the query does not return"
            )),
            None if self.values().next().is_none() => Err("a query of groups without a value".to_owned()),
            None => Ok(()),
        }
    }
}
