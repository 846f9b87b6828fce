//! Counts of changes, by which caches notice that rows have changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use model_resource_schema::column::Table;

/// Number of counters. Tables that share one only invalidate more than necessary.
const COUNTERS: usize = 64;

/// Changes that were made through a store and its clones, or through one of its transactions.
#[derive(Clone, Default)]
pub(crate) struct ChangeTracker {
    counts: Arc<ChangeCounts>,
    /// Whether the open transaction has changed rows.
    uncommitted: Option<Arc<AtomicBool>>,
}

struct ChangeCounts {
    tables: [AtomicU64; COUNTERS],
    /// Changes that may concern any table.
    everything: AtomicU64,
}

impl Default for ChangeCounts {
    fn default() -> Self {
        Self {
            tables: [const { AtomicU64::new(0) }; COUNTERS],
            everything: AtomicU64::new(0),
        }
    }
}

impl ChangeCounts {
    fn of(&self, table: &'static Table) -> &AtomicU64 {
        // By name, because several models can have one table.
        let hash = table.name.bytes().fold(0_usize, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(usize::from(byte))
        });
        &self.tables[hash % COUNTERS]
    }
}

/// A change that is counted when it ends, also if its future is dropped.
pub(crate) struct CountedChange<'c> {
    changes: &'c ChangeTracker,
    /// The table, if the change concerns no other.
    table: Option<&'static Table>,
}

impl ChangeTracker {
    /// Number of changes that may concern a table.
    pub(crate) fn count(&self, table: &'static Table) -> u64 {
        let everything = self.counts.everything.load(Ordering::Acquire);
        everything.wrapping_add(self.counts.of(table).load(Ordering::Acquire))
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
        CountedChange {
            changes: self,
            table: Some(table),
        }
    }

    /// Begins a statement that may change several tables, as a deletion whose foreign keys cascade.
    pub(crate) fn any(&self) -> CountedChange<'_> {
        CountedChange {
            changes: self,
            table: None,
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
        let is_changed = |uncommitted: &Arc<AtomicBool>| uncommitted.load(Ordering::Acquire);
        if uncommitted.as_ref().is_some_and(is_changed) {
            counts.everything.fetch_add(1, Ordering::Release);
        }
    }
}

impl Drop for CountedChange<'_> {
    fn drop(&mut self) {
        let ChangeTracker { counts, uncommitted } = self.changes;
        match (uncommitted, self.table) {
            (Some(uncommitted), _) => uncommitted.store(true, Ordering::Release),
            (None, Some(table)) => {
                counts.of(table).fetch_add(1, Ordering::Release);
            }
            (None, None) => {
                counts.everything.fetch_add(1, Ordering::Release);
            }
        }
    }
}
