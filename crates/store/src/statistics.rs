//! Statistics of tables: their sizes, and the columns that their indexes begin with.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use foldhash::HashMap;
use model_resource_schema::column::{Table, TableId};
use model_resource_schema::query::{Comparison, Predicate};

/// Interval at which the statistics are read again while they are used.
const REFRESH_INTERVAL: Duration = Duration::from_secs(30);

/// Assumed number of rows of a view, which is known to no database without reading it.
pub(crate) const VIEW_ROWS: u64 = 100_000;

/// Estimated size of a table, and the columns that its indexes begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableStatistics {
    rows: u64,
    /// Indexes by the position of the column.
    indexes: Vec<ColumnIndex>,
}

/// Index that begins with a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColumnIndex {
    /// No index begins with the column.
    Missing,
    /// The index finds equal values, but has no order that lists have.
    Unordered,
    /// Several rows may have the same value.
    NotUnique,
    /// At most one row has a value.
    Unique,
}

/// First column of an index in the database.
pub(crate) struct IndexedColumn {
    pub(crate) name: String,
    /// Whether the index is unique and has no other column.
    pub(crate) is_unique: bool,
    /// Whether the index has the order of lists; else it only finds equal values.
    pub(crate) is_ordered: bool,
}

impl ColumnIndex {
    /// Whether the index finds the rows of a test that selects a range of values.
    pub(crate) fn finds(self, test: &Predicate) -> bool {
        match self {
            Self::Missing => false,
            Self::Unordered => matches!(
                test,
                Predicate::Is(Comparison::Eq, _) | Predicate::OneOf(_) | Predicate::Null(true)
            ),
            Self::NotUnique | Self::Unique => true,
        }
    }

    /// Whether the index has the order of lists.
    pub(crate) fn has_order(self) -> bool {
        self > Self::Unordered
    }
}

impl IndexedColumn {
    pub(crate) fn index(&self) -> ColumnIndex {
        match (self.is_ordered, self.is_unique) {
            (false, _) => ColumnIndex::Unordered,
            (true, false) => ColumnIndex::NotUnique,
            (true, true) => ColumnIndex::Unique,
        }
    }
}

impl TableStatistics {
    pub(crate) fn new(table: &Table, rows: u64, found: &[IndexedColumn]) -> Self {
        let index = |name: &str| {
            let found = found.iter().filter(|index| index.name == name);
            found
                .map(IndexedColumn::index)
                .max()
                .unwrap_or(ColumnIndex::Missing)
        };
        let columns = table.columns.iter();
        Self {
            rows,
            indexes: columns.map(|column| index(column.database_name)).collect(),
        }
    }

    /// Estimated number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Index that begins with the column at this position.
    pub fn index(&self, column: usize) -> ColumnIndex {
        self.indexes.get(column).copied().unwrap_or(ColumnIndex::Missing)
    }
}

/// Statistics in memory, so that no request waits for them.
pub(crate) struct StatisticsCache {
    tables: RwLock<HashMap<TableId, CachedTable>>,
    start: Instant,
    /// Milliseconds after the start at which the statistics are read again.
    due: AtomicU64,
}

/// A table, and its statistics as soon as they are read.
struct CachedTable {
    table: &'static Table,
    statistics: Option<Arc<TableStatistics>>,
}

/// Outcome of a lookup in the cache.
pub(crate) struct CacheLookup {
    pub(crate) statistics: Option<Arc<TableStatistics>>,
    /// Tables whose statistics the caller has to read.
    pub(crate) due: Vec<&'static Table>,
}

impl Default for StatisticsCache {
    fn default() -> Self {
        Self {
            tables: RwLock::default(),
            start: Instant::now(),
            due: AtomicU64::new(millis(REFRESH_INTERVAL)),
        }
    }
}

impl StatisticsCache {
    /// Looks up the statistics of a table. Of several callers, one has to read what is due.
    pub(crate) fn lookup(&self, table: &'static Table) -> CacheLookup {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let Some(cached) = tables.get(&table.id()) else {
            drop(tables);
            return CacheLookup {
                statistics: None,
                due: self.add(table),
            };
        };
        let due = if self.take_turn() {
            tables.values().map(|cached| cached.table).collect()
        } else {
            Vec::new()
        };
        CacheLookup {
            statistics: cached.statistics.clone(),
            due,
        }
    }

    /// Stores the statistics of tables.
    pub(crate) fn store(&self, read: impl IntoIterator<Item = (&'static Table, TableStatistics)>) {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        for (table, statistics) in read {
            let cached = CachedTable {
                table,
                statistics: Some(Arc::new(statistics)),
            };
            tables.insert(table.id(), cached);
        }
    }

    /// Adds an unknown table. Returns it if no other caller has added it meanwhile.
    fn add(&self, table: &'static Table) -> Vec<&'static Table> {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = !tables.contains_key(&table.id());
        tables.entry(table.id()).or_insert(CachedTable {
            table,
            statistics: None,
        });
        if is_new { vec![table] } else { Vec::new() }
    }

    /// Whether the statistics are due, for one caller per interval.
    fn take_turn(&self) -> bool {
        let (now, due) = (millis(self.start.elapsed()), self.due.load(Ordering::Relaxed));
        let next = now + millis(REFRESH_INTERVAL);
        let exchange = || {
            self.due
                .compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed)
        };
        now >= due && exchange().is_ok()
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use model_resource_schema::column::{Column, ColumnRole, KeyGeneration};
    use model_resource_schema::data_type::DataType;

    use super::*;

    static TAGS: Table = Table::new(
        "tags",
        "Tag",
        &[
            Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
            Column::new("name", DataType::Text),
            Column::new("color", DataType::Text),
        ],
    );

    fn index(name: &str, is_unique: bool) -> IndexedColumn {
        IndexedColumn {
            name: name.to_owned(),
            is_unique,
            is_ordered: true,
        }
    }

    #[test]
    fn a_column_has_the_best_of_its_indexes() {
        let found = [index("name", false), index("name", true), index("id", true)];
        let statistics = TableStatistics::new(&TAGS, 7, &found);
        assert_eq!(statistics.rows(), 7);
        assert_eq!(statistics.index(1), ColumnIndex::Unique);
        assert_eq!(statistics.index(2), ColumnIndex::Missing);
    }

    #[test]
    fn one_caller_is_told_to_read_an_unknown_table() {
        let cache = StatisticsCache::default();
        assert_eq!(cache.lookup(&TAGS).due.len(), 1);
        let second = cache.lookup(&TAGS);
        assert!(second.statistics.is_none() && second.due.is_empty());
        cache.store([(&TAGS, TableStatistics::new(&TAGS, 3, &[]))]);
        let third = cache.lookup(&TAGS);
        assert_eq!(third.statistics.map(|known| known.rows()), Some(3));
        assert!(third.due.is_empty());
    }

    #[test]
    fn one_caller_per_interval_is_told_to_read_the_tables_again() {
        let cache = StatisticsCache::default();
        cache.store([(&TAGS, TableStatistics::new(&TAGS, 3, &[]))]);
        cache.due.store(0, Ordering::Relaxed);
        assert_eq!(cache.lookup(&TAGS).due.len(), 1);
        assert!(cache.lookup(&TAGS).due.is_empty());
    }
}
