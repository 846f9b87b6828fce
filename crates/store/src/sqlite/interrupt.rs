//! Cancellation: interrupts long reads whose futures were dropped.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use rusqlite::Connection;

use super::error::map_error;
use crate::error::Result;

/// SQLite virtual machine steps between two liveness checks; finding a row by its key takes fewer.
const STEPS: i32 = 1000;

thread_local! {
    /// Liveness token of the caller of the current long read on this thread.
    static CALLER: RefCell<Option<Weak<Liveness>>> = const { RefCell::new(None) };
}

/// Liveness token: dropped when the caller is gone.
pub(super) struct Liveness;

impl Liveness {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self)
    }
}

/// Interrupts reads of a connection as soon as their caller is gone.
pub(super) fn watch(connection: &Connection) -> Result<()> {
    let is_alone = || {
        let is_gone = |caller: &Weak<Liveness>| caller.strong_count() == 0;
        CALLER.with_borrow(|caller| caller.as_ref().is_some_and(is_gone))
    };
    connection
        .progress_handler(STEPS, Some(is_alone))
        .map_err(map_error)
}

/// Runs a read that is interrupted when its caller is gone.
pub(super) fn interruptible<T>(caller: Weak<Liveness>, read: impl FnOnce() -> T) -> T {
    /// Clears the token even after a panic, which ends one read but not the thread.
    struct ClearOnDrop;
    impl Drop for ClearOnDrop {
        fn drop(&mut self) {
            CALLER.set(None);
        }
    }
    CALLER.set(Some(caller));
    let _forget = ClearOnDrop;
    read()
}
