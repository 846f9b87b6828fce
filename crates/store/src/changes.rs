//! Counts of changes, by which caches notice that rows have changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model_resource_schema::column::Table;

/// Number of counters of each kind. Tables that share one only invalidate more than necessary.
const COUNTERS: usize = 32;

/// Changes that were made through a store and its clones, or through one of its transactions.
#[derive(Clone, Default)]
pub(crate) struct ChangeTracker {
    counts: Arc<ChangeCounts>,
    /// Counters that the open transaction will increment, as bits.
    uncommitted: Option<Arc<AtomicU64>>,
}

#[derive(Default)]
struct ChangeCounts {
    /// Updates, including soft deletions.
    updates: [AtomicU64; COUNTERS],
    inserts: [AtomicU64; COUNTERS],
    /// Changes that may concern any table, such as deletions with their cascades.
    everything: AtomicU64,
}

/// Effect of a statement.
#[derive(Clone, Copy)]
enum Change {
    Update(&'static Table),
    Insert(&'static Table),
    Any,
}

/// A change that is counted when it ends, also if its future is dropped.
pub(crate) struct CountedChange<'c> {
    changes: &'c ChangeTracker,
    change: Change,
}

impl ChangeCounts {
    fn add(&self, change: Change) {
        let counter = match change {
            Change::Update(table) => &self.updates[place(table)],
            Change::Insert(table) => &self.inserts[place(table)],
            Change::Any => &self.everything,
        };
        counter.fetch_add(1, Ordering::Release);
    }

    /// Adds the changes of a transaction.
    fn add_all(&self, bits: u64) {
        if bits == ANY {
            self.everything.fetch_add(1, Ordering::Release);
            return;
        }
        let counters = self.updates.iter().chain(&self.inserts);
        for (place, counter) in counters.enumerate() {
            if bits & (1 << place) != 0 {
                counter.fetch_add(1, Ordering::Release);
            }
        }
    }
}

/// Bits of a transaction that may have changed any table.
const ANY: u64 = u64::MAX;

impl Change {
    /// Bits of the counters that it increments.
    fn bits(self) -> u64 {
        match self {
            Change::Update(table) => 1 << place(table),
            Change::Insert(table) => 1 << (COUNTERS + place(table)),
            Change::Any => ANY,
        }
    }
}

/// Place of a table's counters. By name, because several models can have one table.
fn place(table: &'static Table) -> usize {
    let hash = table.name.bytes().fold(0_usize, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(usize::from(byte))
    });
    hash % COUNTERS
}

impl ChangeTracker {
    /// Number of updates and deletions that may concern a table.
    pub(crate) fn count(&self, table: &'static Table) -> u64 {
        let everything = self.counts.everything.load(Ordering::Acquire);
        everything.wrapping_add(self.counts.updates[place(table)].load(Ordering::Acquire))
    }

    /// Number of insertions that may concern a table.
    pub(crate) fn inserted(&self, table: &'static Table) -> u64 {
        self.counts.inserts[place(table)].load(Ordering::Acquire)
    }

    /// Returns the changes of a new transaction.
    pub(crate) fn of_transaction(&self) -> Self {
        Self {
            counts: Arc::clone(&self.counts),
            uncommitted: Some(Arc::default()),
        }
    }

    /// Begins an update of one table.
    pub(crate) fn update(&self, table: &'static Table) -> CountedChange<'_> {
        self.begin(Change::Update(table))
    }

    /// Begins an insertion into one table.
    pub(crate) fn insert(&self, table: &'static Table) -> CountedChange<'_> {
        self.begin(Change::Insert(table))
    }

    /// Begins a statement that may change several tables, such as a deletion whose foreign keys cascade.
    pub(crate) fn any(&self) -> CountedChange<'_> {
        self.begin(Change::Any)
    }

    fn begin(&self, change: Change) -> CountedChange<'_> {
        CountedChange {
            changes: self,
            change,
        }
    }

    /// Returns a guard for the commit of the open transaction, which counts its changes when it ends.
    pub(crate) fn commit(&self) -> CommittedChanges<'_> {
        CommittedChanges(self)
    }
}

/// The changes of a transaction, counted when its commit ends, also if the future of the commit is dropped.
pub(crate) struct CommittedChanges<'c>(&'c ChangeTracker);

impl Drop for CommittedChanges<'_> {
    fn drop(&mut self) {
        let ChangeTracker { counts, uncommitted } = self.0;
        if let Some(uncommitted) = uncommitted {
            counts.add_all(uncommitted.load(Ordering::Acquire));
        }
    }
}

impl Drop for CountedChange<'_> {
    fn drop(&mut self) {
        let ChangeTracker { counts, uncommitted } = self.changes;
        match uncommitted {
            Some(uncommitted) => {
                uncommitted.fetch_or(self.change.bits(), Ordering::Release);
            }
            None => counts.add(self.change),
        }
    }
}
