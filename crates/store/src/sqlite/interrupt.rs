//! Long reads that end when nobody waits for them any more.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use rusqlite::Connection;

use super::error::map_error;
use crate::error::Result;

/// So many steps of SQLite's own machine lie between two looks at the caller: finding a row by its key takes fewer.
const STEPS: i32 = 1000;

thread_local! {
    /// Whoever waits for what this thread reads, if that may take long.
    static CALLER: RefCell<Option<Weak<Liveness>>> = const { RefCell::new(None) };
}

/// Someone who waits, as long as this is there.
pub(super) struct Liveness;

impl Liveness {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self)
    }
}

/// Interrupts what a connection reads as soon as its caller is gone.
pub(super) fn watch(connection: &Connection) -> Result<()> {
    let is_alone = || {
        let is_gone = |caller: &Weak<Liveness>| caller.strong_count() == 0;
        CALLER.with_borrow(|caller| caller.as_ref().is_some_and(is_gone))
    };
    connection
        .progress_handler(STEPS, Some(is_alone))
        .map_err(map_error)
}

/// Reads for a caller who may go.
pub(super) fn interruptible<T>(caller: Weak<Liveness>, read: impl FnOnce() -> T) -> T {
    /// Also after a panic, which ends one read and not the thread.
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
