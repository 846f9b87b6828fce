//! Short reads that recently took too long for a shared connection, for example because their table is locked.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of remembered statements.
const MAX_STATEMENTS: usize = 256;

/// Texts of stalled statements.
#[derive(Default)]
pub(super) struct StalledStatements {
    texts: Mutex<HashSet<String, foldhash::fast::FixedState>>,
    /// Whether there are any, readable without the lock.
    is_used: AtomicBool,
}

impl StalledStatements {
    pub(super) fn contains(&self, sql: &str) -> bool {
        self.is_used.load(Ordering::Relaxed) && self.texts().contains(sql)
    }

    pub(super) fn add(&self, sql: &str) {
        let mut texts = self.texts();
        if texts.len() >= MAX_STATEMENTS {
            texts.clear();
        }
        texts.insert(sql.to_owned());
        self.is_used.store(true, Ordering::Relaxed);
    }

    pub(super) fn remove(&self, sql: &str) {
        let mut texts = self.texts();
        texts.remove(sql);
        self.is_used.store(!texts.is_empty(), Ordering::Relaxed);
    }

    fn texts(&self) -> MutexGuard<'_, HashSet<String, foldhash::fast::FixedState>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
