//! Interruption of searches whose callers are gone or whose time is up.

use std::cell::RefCell;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::error::map_error;
use crate::error::{Error, Result};

/// SQLite virtual machine steps between two checks; finding a row by its key takes fewer.
const STEPS: i32 = 1000;

thread_local! {
    /// Search that runs on this thread.
    static RUNNING: RefCell<Option<RunningSearch>> = const { RefCell::new(None) };
}

struct RunningSearch {
    caller: Weak<Liveness>,
    deadline: Instant,
    is_late: bool,
}

impl RunningSearch {
    fn must_stop(&mut self) -> bool {
        self.is_late = Instant::now() >= self.deadline;
        self.is_late || self.caller.strong_count() == 0
    }
}

/// Liveness token: dropped when the caller is gone.
pub(super) struct Liveness;

impl Liveness {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self)
    }
}

/// Interrupts searches of a connection as soon as their caller is gone or their time is up.
pub(super) fn watch(connection: &Connection) -> Result<()> {
    let must_stop =
        || RUNNING.with_borrow_mut(|running| running.as_mut().is_some_and(RunningSearch::must_stop));
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
    /// Clears the search even after a panic, which ends one search but not the thread.
    struct ClearOnDrop;
    impl Drop for ClearOnDrop {
        fn drop(&mut self) {
            RUNNING.set(None);
        }
    }
    RUNNING.set(Some(RunningSearch {
        caller,
        deadline: Instant::now() + limit,
        is_late: false,
    }));
    let _clear = ClearOnDrop;
    let found = search();
    let is_late = RUNNING.with_borrow(|running| running.as_ref().is_some_and(|search| search.is_late));
    if is_late && found.is_err() {
        return Err(Error::TooSlow(limit));
    }
    found
}
