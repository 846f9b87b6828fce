//! Time limits of sessions, which depend on what they are used for.

use std::time::Duration;

use super::url::{PostgresOptions, Prepare};

/// Maximum lock wait of a short read on a shared connection, behind which others wait. Reads wait only for exclusive
/// locks of whole tables.
const SHARED_LOCK_TIMEOUT: Duration = Duration::from_millis(20);
/// Maximum time of a short read on a shared connection, which includes that of sending a page of large rows.
const SHARED_STATEMENT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time of a list that is expected to be short, before it continues as a search.
pub(super) const BRIEF_STATEMENT_TIMEOUT: Duration = Duration::from_millis(100);
/// Maximum lock wait of writes and transactions. Slightly longer than the idle timeout of a transaction, so that a statement
/// blocked by an idle transaction runs once that one is rolled back.
const LOCK_TIMEOUT: Duration = Duration::from_secs(6);

/// Maximum idle time of a transaction whose client an application's own code uses, after which the server closes the
/// connection. Longer than that of the other transactions, which the store rolls back, and shorter than a lock wait.
const LENT_IDLE_TIMEOUT: Duration = Duration::from_millis(5500);

const IDLE: &str = "idle_in_transaction_session_timeout";

/// Use of a connection, which decides its time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionKind {
    /// Short reads of many callers.
    Shared,
    /// One list at a time that is expected to be short.
    Brief,
    /// One search at a time.
    Search,
    /// One write or transaction at a time.
    Write,
    /// Migrations and checks of the server, without limits.
    Maintenance,
}

/// Time limits of a connection: of the session, or of each transaction behind a pooler that shares sessions.
pub(super) struct SessionLimits {
    session: String,
    begin: String,
    begin_read_only: String,
    lend: String,
}

/// Maximum lock wait of a search: shorter than its time limit, which the client would otherwise be blamed for.
fn search_lock_timeout(search_timeout: Duration) -> Duration {
    (search_timeout * 4 / 5).min(LOCK_TIMEOUT)
}

impl SessionLimits {
    pub(super) fn new(kind: SessionKind, options: &PostgresOptions) -> Self {
        let (lock, statement) = match kind {
            SessionKind::Shared => (Some(SHARED_LOCK_TIMEOUT), Some(SHARED_STATEMENT_TIMEOUT)),
            SessionKind::Brief => (Some(SHARED_LOCK_TIMEOUT), Some(BRIEF_STATEMENT_TIMEOUT)),
            SessionKind::Search => (
                Some(search_lock_timeout(options.search_timeout)),
                Some(options.search_timeout),
            ),
            SessionKind::Write => (Some(LOCK_TIMEOUT), None),
            SessionKind::Maintenance => (None, None),
        };
        let (mut session, mut local, mut lend) = (String::new(), String::new(), String::new());
        for (name, limit) in [("lock_timeout", lock), ("statement_timeout", statement)] {
            let is_chosen = !matches!(kind, SessionKind::Shared | SessionKind::Brief) && options.sets(name);
            let Some(limit) = limit.filter(|_| !is_chosen) else {
                continue;
            };
            let limit = limit.as_millis().max(1);
            match options.prepare {
                Prepare::Named => session.push_str(&format!("SET {name} = {limit}; ")),
                Prepare::Unnamed => local.push_str(&format!("; SET LOCAL {name} = {limit}")),
            }
        }
        if kind == SessionKind::Write && !options.sets(IDLE) {
            let limit = LENT_IDLE_TIMEOUT.as_millis();
            match options.prepare {
                Prepare::Named => session.push_str(&format!("SET {IDLE} = {limit}; ")),
                // Not at the beginning of each transaction, since few are lent.
                Prepare::Unnamed => lend = format!("SET LOCAL {IDLE} = {limit}"),
            }
        }
        Self {
            session,
            lend,
            begin: format!("BEGIN{local}"),
            begin_read_only: format!("BEGIN READ ONLY{local}"),
        }
    }

    /// Statements that begin the session; none behind a pooler that shares sessions.
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Statement before the client of a transaction is lent; empty if none is needed.
    pub(super) fn lend(&self) -> &str {
        &self.lend
    }

    /// Begins a transaction.
    pub(super) fn begin(&self) -> &str {
        &self.begin
    }

    /// Begins a transaction that rejects writes.
    pub(super) fn begin_read_only(&self) -> &str {
        &self.begin_read_only
    }
}
