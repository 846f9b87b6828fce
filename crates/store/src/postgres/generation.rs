//! Generations of connections, which are replaced together when the server must be left.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::AbortHandle;

/// The open connections of a process. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Generations {
    current: Arc<AtomicU64>,
    /// Tasks that drive the connections.
    drivers: Arc<Mutex<Vec<AbortHandle>>>,
}

/// Generation that a connection belongs to.
pub(super) struct Membership {
    current: Arc<AtomicU64>,
    number: u64,
    driver: AbortHandle,
}

impl Membership {
    /// Whether the connection may still be used.
    pub(super) fn is_current(&self) -> bool {
        self.current.load(Ordering::Acquire) == self.number
    }

    /// Closes the connection, also if its client is still used.
    pub(super) fn close(&self) {
        self.driver.abort();
    }
}

impl Generations {
    /// Number of the current generation. Taken before a connection is opened, so that one opened meanwhile is not
    /// mistaken for a new one.
    pub(super) fn number(&self) -> u64 {
        self.current.load(Ordering::Acquire)
    }

    /// Adds a connection with the task that drives it.
    pub(super) fn add(&self, number: u64, driver: AbortHandle) -> Membership {
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        drivers.retain(|driver| !driver.is_finished());
        drivers.push(driver.clone());
        Membership {
            current: Arc::clone(&self.current),
            number,
            driver,
        }
    }

    /// Begins a new generation. Connections of the old one finish their statements and are not used again.
    pub(super) fn replace(&self) {
        self.current.fetch_add(1, Ordering::AcqRel);
    }

    /// Begins a new generation and closes the connections of the old one, which ends the statements on them.
    pub(super) fn close(&self) {
        self.replace();
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        drivers.drain(..).for_each(|driver| driver.abort());
    }
}
