//! Condition of the server, as statements and connections have shown it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::missing_tables::MissingTables;
use crate::error::{Error, Result};

/// Condition of the server, as far as statements and connections have shown it. A change is logged once.
#[derive(Default)]
pub(super) struct ServerHealth {
    condition: Mutex<Condition>,
    /// Whether `condition` is not `Available`, readable without the lock.
    is_troubled: AtomicBool,
    /// Whether no statement is sent until the monitor has opened a connection.
    is_closed: AtomicBool,
    pub(super) missing_tables: MissingTables,
    /// Number of statements sent.
    started: AtomicU64,
    /// Number of statements that ended, for whatever reason.
    ended: AtomicU64,
}

/// Condition of a server.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) enum Condition {
    #[default]
    Available,
    /// Open connections may work, but no new one can be opened.
    RefusesConnections(String),
    /// The password is wrong, the role may not log in, or the database does not exist. Open connections are not used
    /// either.
    RejectsLogins(String),
    /// Writes are rejected.
    ReadOnly,
    /// No responses arrive.
    Down(String),
}

/// A statement on its way; ends with its response, or when its future is dropped.
pub(super) struct StatementInFlight<'h>(&'h ServerHealth);

impl Drop for StatementInFlight<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

impl ServerHealth {
    /// Counts a statement until the guard is dropped.
    pub(super) fn begin(&self) -> StatementInFlight<'_> {
        self.started.fetch_add(1, Ordering::Relaxed);
        StatementInFlight(self)
    }

    /// Fails at once if the server is known to be down or to reject logins.
    pub(super) fn check(&self) -> Result<()> {
        if !self.is_closed.load(Ordering::Acquire) {
            return Ok(());
        }
        match &*self.condition() {
            Condition::Down(reason) | Condition::RejectsLogins(reason) => {
                Err(Error::Unavailable(reason.clone()))
            }
            Condition::Available | Condition::RefusesConnections(_) | Condition::ReadOnly => Ok(()),
        }
    }

    /// Sets the condition and logs a change.
    pub(super) fn set(&self, condition: Condition) {
        let mut current = self.condition();
        if *current == condition {
            return;
        }
        match &condition {
            Condition::Available => tracing::info!("the database is available again"),
            Condition::RefusesConnections(reason) => {
                tracing::error!(%reason, "the database refuses connections");
            }
            Condition::RejectsLogins(reason) => tracing::error!(%reason, "the database rejects logins"),
            Condition::ReadOnly => tracing::error!("the database rejects writes: it is read-only"),
            Condition::Down(reason) => tracing::error!(%reason, "the database does not respond"),
        }
        let is_troubled = condition != Condition::Available;
        let is_closed = matches!(condition, Condition::Down(_) | Condition::RejectsLogins(_));
        *current = condition;
        self.is_troubled.store(is_troubled, Ordering::Release);
        self.is_closed.store(is_closed, Ordering::Release);
    }

    /// Notes that a connection could not be opened. A server that is down, or rejects logins, stays so until the monitor
    /// reaches it.
    pub(super) fn refused(&self, error: &Error) {
        if self.check().is_ok() {
            self.set(Condition::RefusesConnections(error.to_string()));
        }
    }

    /// Whether the server has rejected a login.
    pub(super) fn rejects_logins(&self) -> bool {
        self.check().is_err() && matches!(&*self.condition(), Condition::RejectsLogins(_))
    }

    /// Clears a condition that something has just disproved.
    pub(super) fn clear(&self, is_disproved: impl FnOnce(&Condition) -> bool) {
        if self.is_troubled.load(Ordering::Acquire) {
            let is_over = is_disproved(&self.condition());
            if is_over {
                self.set(Condition::Available);
            }
        }
    }

    fn condition(&self) -> MutexGuard<'_, Condition> {
        self.condition.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers of statements so far.
    pub(super) fn progress(&self) -> Progress {
        Progress {
            ended: self.ended.load(Ordering::Relaxed),
            started: self.started.load(Ordering::Relaxed),
        }
    }
}

/// Numbers of statements at one moment.
#[derive(Clone, Copy, Default)]
pub(super) struct Progress {
    started: u64,
    pub(super) ended: u64,
}

impl Progress {
    /// Whether statements wait, and none has ended since `earlier`.
    pub(super) fn is_stalled_since(self, earlier: Self) -> bool {
        self.started > self.ended && self.ended == earlier.ended && earlier.started > earlier.ended
    }
}
