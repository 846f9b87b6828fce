//! Tells a request that waited for the database from one that took long itself, when its future is dropped.

use std::cell::Cell;

thread_local! {
    /// Whether a wait was dropped on this thread.
    static WAS_DROPPED: Cell<bool> = const { Cell::new(false) };
}

/// A wait for the database, during one operation of a store.
pub(crate) struct DatabaseWait(());

impl DatabaseWait {
    pub(crate) fn begin() -> Self {
        Self(())
    }

    /// Ends the wait with a result of the database.
    pub(crate) fn end(self) {
        std::mem::forget(self);
    }
}

impl Drop for DatabaseWait {
    fn drop(&mut self) {
        WAS_DROPPED.set(true);
    }
}

/// Waits for a read of the database that another task makes.
pub async fn wait_for_database<T>(read: impl Future<Output = T>) -> T {
    let wait = DatabaseWait::begin();
    let result = read.await;
    wait.end();
    result
}

/// Drops a value, usually the future of a request, and returns whether it was waiting for the database.
pub fn drop_and_tell_wait(drop: impl FnOnce()) -> bool {
    WAS_DROPPED.set(false);
    drop();
    WAS_DROPPED.replace(false)
}
