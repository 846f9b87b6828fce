//! Interruption of searches whose callers are gone or whose time is up, and of scans that are not as short as expected.

use std::cell::RefCell;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::error::map_error;
use crate::error::{Error, Result};

/// SQLite virtual machine steps between two checks; finding a row by its key takes fewer.
const STEPS: i32 = 1000;

/// Number of checks that a brief scan passes: some milliseconds, in which it finds a thousand rows of usual size.
const MAX_BRIEF_CHECKS: u32 = 30;

thread_local! {
    /// Limited read that runs on this thread.
    static RUNNING: RefCell<Option<RunningRead>> = const { RefCell::new(None) };
}

/// A read with a limit.
struct RunningRead {
    limit: Limit,
    /// Whether it was stopped by the limit.
    is_over: bool,
}

enum Limit {
    Search {
        caller: Weak<Liveness>,
        deadline: Instant,
    },
    Brief {
        checks: u32,
    },
}

impl RunningRead {
    fn must_stop(&mut self) -> bool {
        match &mut self.limit {
            Limit::Search { caller, deadline } => {
                self.is_over = Instant::now() >= *deadline;
                self.is_over || caller.strong_count() == 0
            }
            Limit::Brief { checks } => {
                self.is_over = *checks == 0;
                *checks = checks.saturating_sub(1);
                self.is_over
            }
        }
    }
}

/// Liveness token: dropped when the caller is gone.
pub(super) struct Liveness;

impl Liveness {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self)
    }
}

/// Interrupts the limited reads of a connection as soon as their caller is gone or they exceed their limit.
pub(super) fn watch(connection: &Connection) -> Result<()> {
    let must_stop =
        || RUNNING.with_borrow_mut(|running| running.as_mut().is_some_and(RunningRead::must_stop));
    connection
        .progress_handler(STEPS, Some(must_stop))
        .map_err(map_error)
}

/// Runs a search that is interrupted when its caller is gone, or after the limit.
pub(super) fn interruptible<T>(
    caller: Weak<Liveness>,
    limit: Duration,
    search: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let deadline = Instant::now() + limit;
    let (found, is_over) = limited(Limit::Search { caller, deadline }, search);
    if is_over && found.is_err() {
        return Err(Error::TooSlow(limit));
    }
    found
}

/// Runs a read that is interrupted if it takes more than some milliseconds. `None` if it was.
pub(super) fn brief<T>(read: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    let checks = MAX_BRIEF_CHECKS;
    match limited(Limit::Brief { checks }, read) {
        (Err(_), true) => Ok(None),
        (found, _) => found.map(Some),
    }
}

/// Runs a read, and returns whether it was stopped by the limit.
fn limited<T>(limit: Limit, read: impl FnOnce() -> Result<T>) -> (Result<T>, bool) {
    /// Clears the read even after a panic, which ends one read but not the thread.
    struct ClearOnDrop;
    impl Drop for ClearOnDrop {
        fn drop(&mut self) {
            RUNNING.set(None);
        }
    }
    let is_over = false;
    RUNNING.set(Some(RunningRead { limit, is_over }));
    let _clear = ClearOnDrop;
    let found = read();
    let is_over = RUNNING.with_borrow(|running| running.as_ref().is_some_and(|read| read.is_over));
    (found, is_over)
}
