//! Counters of a SQLite database, which its threads update and `Store::status` reads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use super::queue::{Queue, QueuedTask};
use crate::status::LaneStatus;

/// Interval at which the end of the threads is checked for.
const CLOSE_INTERVAL: Duration = Duration::from_millis(2);
/// Maximum number of these checks.
const CLOSE_CHECKS: usize = 1000;

/// Counters of a database, shared by its threads and clones.
#[derive(Default)]
pub(super) struct Counters {
    /// Statements that have read.
    pub(super) statements: AtomicU64,
    /// Writes, inside and outside of transactions.
    pub(super) written: AtomicU64,
    pub(super) group_commits: AtomicU64,
    pub(super) group_committed_writes: AtomicU64,
    pub(super) slow_searches: AtomicU64,
    pub(super) readers: ThreadCounter,
    pub(super) searchers: ThreadCounter,
    pub(super) writer: ThreadCounter,
}

/// Number of the threads of one queue, each of which has a connection.
#[derive(Default)]
pub(super) struct ThreadCounter {
    running: AtomicUsize,
    busy: AtomicUsize,
}

impl ThreadCounter {
    /// Counts a thread for as long as it has a connection.
    pub(super) fn start(&self) -> impl Drop + '_ {
        CountGuard::new(&self.running)
    }

    /// Counts a thread for as long as it works.
    pub(super) fn work(&self) -> impl Drop + '_ {
        CountGuard::new(&self.busy)
    }

    /// Waits until no thread has a connection, for two seconds at most.
    pub(super) async fn wait_ended(&self) {
        for _ in 0..CLOSE_CHECKS {
            if self.running.load(Ordering::Acquire) == 0 {
                return;
            }
            tokio::time::sleep(CLOSE_INTERVAL).await;
        }
    }

    /// Numbers of the threads and of their queue.
    pub(super) fn status<T: QueuedTask>(&self, name: &'static str, queue: &Queue<T>) -> LaneStatus {
        let connections = self.running.load(Ordering::Relaxed);
        LaneStatus {
            name,
            connections,
            idle: connections.saturating_sub(self.busy.load(Ordering::Relaxed)),
            waiting: queue.waiting(),
        }
    }
}

/// Increment of a counter, undone on drop.
struct CountGuard<'c>(&'c AtomicUsize);

impl<'c> CountGuard<'c> {
    fn new(counter: &'c AtomicUsize) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(counter)
    }
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
