//! Counters of a SQLite database, which its threads update and `Store::status` reads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use super::queue::{Queue, QueuedTask};
use crate::status::{GroupSizes, LaneStatus};

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
    pub(super) groups: GroupCounters,
    pub(super) slow_searches: AtomicU64,
    pub(super) readers: ThreadCounter,
    pub(super) searchers: ThreadCounter,
    pub(super) writer: ThreadCounter,
}

/// Number of sizes that group commits are counted by: 1, 2, up to 4, up to 8, and so on to 128 writes.
const GROUP_SIZES: usize = 8;

/// Counters of group commits.
#[derive(Default)]
pub(super) struct GroupCounters {
    /// Commits by the power of two that bounds their size.
    commits: [AtomicU64; GROUP_SIZES],
    writes: AtomicU64,
}

impl GroupCounters {
    /// Counts a commit of this number of writes.
    pub(super) fn count(&self, writes: usize) {
        let bound = writes.max(1).next_power_of_two().ilog2() as usize;
        self.commits[bound.min(GROUP_SIZES - 1)].fetch_add(1, Ordering::Relaxed);
        self.writes.fetch_add(writes as u64, Ordering::Relaxed);
    }

    pub(super) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    pub(super) fn sizes(&self) -> Vec<GroupSizes> {
        let commits = self.commits.iter().enumerate();
        let sizes = commits.map(|(bound, commits)| GroupSizes {
            max_writes: 1 << bound,
            commits: commits.load(Ordering::Relaxed),
        });
        sizes.collect()
    }
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
            expired: queue.expired(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// LOAD-46
    #[test]
    fn group_commits_are_counted_by_the_power_of_two_that_bounds_their_size() {
        let groups = GroupCounters::default();
        for writes in [1, 2, 3, 4, 5, 64, 65, 128] {
            groups.count(writes);
        }
        let sizes = groups.sizes();
        let counted: Vec<(u64, u64)> = sizes.iter().map(|size| (size.max_writes, size.commits)).collect();
        assert_eq!(
            counted,
            [
                (1, 1),
                (2, 1),
                (4, 2),
                (8, 1),
                (16, 0),
                (32, 0),
                (64, 1),
                (128, 2)
            ]
        );
        assert_eq!(groups.writes(), 272);
    }
}
