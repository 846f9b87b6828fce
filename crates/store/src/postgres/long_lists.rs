//! Lists that were expected to be short, and recently were not.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of remembered statements.
const MAX_STATEMENTS: usize = 256;
/// Time after which a statement is attempted again.
const MEMORY: Duration = Duration::from_secs(10);

/// Texts of these statements, with the time when each exceeded its limit. They need not be attempted for a while, so that
/// attempts that fail take only a small part of the connections for lists.
#[derive(Default)]
pub(super) struct LongLists {
    texts: Mutex<HashMap<String, Instant, foldhash::fast::FixedState>>,
    /// Whether there are any, readable without the lock.
    is_used: AtomicBool,
}

impl LongLists {
    pub(super) fn contains(&self, sql: &str) -> bool {
        if !self.is_used.load(Ordering::Relaxed) {
            return false;
        }
        let mut texts = self.texts();
        let Some(exceeded) = texts.get(sql) else {
            return false;
        };
        if exceeded.elapsed() < MEMORY {
            return true;
        }
        texts.remove(sql);
        self.is_used.store(!texts.is_empty(), Ordering::Relaxed);
        false
    }

    pub(super) fn add(&self, sql: &str) {
        let mut texts = self.texts();
        if texts.len() >= MAX_STATEMENTS {
            texts.clear();
        }
        texts.insert(sql.to_owned(), Instant::now());
        self.is_used.store(true, Ordering::Relaxed);
    }

    fn texts(&self) -> MutexGuard<'_, HashMap<String, Instant, foldhash::fast::FixedState>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
