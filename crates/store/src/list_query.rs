//! Which rows, in which order, and how many of them.

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::Row;
use model_resource_schema::query::{FieldPath, Nulls, SortKey};
use model_resource_schema::value::Value;

use crate::query::AnyQuery;

/// To skip so many rows takes no time to speak of.
const MAX_SHORT_OFFSET: u64 = 10_000;

/// Rows in an order, which is always a whole one: the primary key decides between rows that are otherwise equal.
#[derive(Debug, Clone)]
pub struct ListQuery {
    select: AnyQuery,
    keys: Vec<SortKey>,
    start: Seek,
    most: Option<u64>,
}

/// Where a row stands in the order of a list: its values of all keys.
#[derive(Debug, Clone, PartialEq)]
pub struct KeysetPosition(pub Vec<Value>);

/// Which of the rows come first.
#[derive(Debug, Clone, PartialEq)]
pub enum Seek {
    /// The first but so many.
    Offset(u64),
    /// Those after this one.
    After(KeysetPosition),
    /// The last ones before this one, or the last of all. They come in the same order as ever.
    Before(Option<KeysetPosition>),
}

impl ListQuery {
    /// All selected rows, in the order of their primary keys.
    pub fn of(select: AnyQuery) -> Self {
        Self::sorted(select, Vec::new())
    }

    /// All selected rows, in the order of these keys. The primary key goes the way of the last of them.
    pub fn sorted(select: AnyQuery, mut keys: Vec<SortKey>) -> Self {
        let is_key =
            |key: &SortKey| key.path.is_own_column() && key.path.position() == select.table().primary_key;
        if let Some(position) = keys.iter().position(is_key) {
            keys.truncate(position + 1);
        } else {
            keys.push(SortKey {
                path: FieldPath::key_of(select.table()),
                descending: keys.last().is_some_and(|key| key.descending),
                nulls: Nulls::Last,
            });
        }
        Self {
            select,
            keys,
            start: Seek::Offset(0),
            most: None,
        }
    }

    /// From another row on.
    pub fn seek(mut self, start: Seek) -> Self {
        self.start = start;
        self
    }

    /// So many of them at the most.
    pub fn limit(mut self, rows: u64) -> Self {
        self.most = Some(self.most.map_or(rows, |most| most.min(rows)));
        self
    }

    /// What is left of the list after so many rows, the last of which stands here.
    pub fn rest(mut self, given: u64, last: KeysetPosition) -> Self {
        self.start = Seek::After(last);
        self.most = self.most.map(|most| most.saturating_sub(given));
        self
    }

    /// The rows, whatever their order.
    pub fn select(&self) -> &AnyQuery {
        &self.select
    }

    /// The table.
    pub fn table(&self) -> &'static Table {
        self.select.table()
    }

    /// What the rows are ordered by, the primary key being the last.
    pub fn keys(&self) -> &[SortKey] {
        &self.keys
    }

    /// Which rows come first.
    pub fn start(&self) -> &Seek {
        &self.start
    }

    /// There are so many rows at the most.
    pub fn max_rows(&self) -> Option<u64> {
        self.most
    }

    /// The types of the keys that are no columns of the table itself.
    pub(crate) fn extra_kinds(&self) -> Vec<DataType> {
        let extra = self.keys.iter().filter(|key| !key.path.is_own_column());
        extra.map(|key| key.path.column().kind).collect()
    }

    /// Where a row of this list stands. The values of the keys that are no columns stand behind the columns.
    pub fn position(&self, row: &dyn Row) -> KeysetPosition {
        let mut behind = self.table().columns.len();
        let value = |key: &SortKey| {
            let column = if key.path.is_own_column() {
                key.path.position()
            } else {
                behind += 1;
                behind - 1
            };
            row.value(column).to_value()
        };
        KeysetPosition(self.keys.iter().map(value).collect())
    }

    /// Whether a client has a say in which rows are looked at, or in what order: that may be all rows, and take long.
    pub(crate) fn may_be_long(&self) -> bool {
        let skips_many = matches!(self.start, Seek::Offset(rows) if rows > MAX_SHORT_OFFSET);
        self.keys.len() > 1 || !self.select.condition().is_all() || skips_many
    }

    /// Whether it is all rows of the table, or all after some one, in the order of their primary keys.
    pub(crate) fn is_plain(&self) -> bool {
        let is_by_key = matches!(self.keys.as_slice(), [key] if !key.descending);
        is_by_key && self.most.is_none() && self.select.is_all()
    }
}
