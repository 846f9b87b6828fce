//! What the figures ought to be.

use super::figures::{find, ratio};
use crate::outcome::{Database, Outcome, Server, Work};

/// Against the hand-written limit, for every work that has a target.
pub(super) const OF_LIMIT: f64 = 0.85;
/// So much the memory may rise while long lists are sent, in MiB.
pub(super) const MEMORY: f64 = 32.0;

/// How many times the requests of sqlx, at least.
pub(super) fn of_sqlx(database: Database, work: Work) -> Option<f64> {
    match (database, work) {
        (_, Work::Mixed) => None,
        (Database::Sqlite, Work::Get) => Some(2.3),
        (Database::Sqlite, Work::List100 | Work::List10000 | Work::Create | Work::Patch) => Some(8.0),
        (Database::Postgres, Work::Get | Work::List10000) => Some(1.5),
        (Database::Postgres, Work::List100) => Some(1.6),
        (Database::Postgres, Work::Create | Work::Patch) => Some(1.2),
    }
}

/// The targets that are missed, each in words; none if the work has no target.
pub(super) fn missed(outcomes: &[Outcome], database: Database, work: Work) -> Option<Vec<&'static str>> {
    let least = of_sqlx(database, work)?;
    let backend = find(outcomes, database, work, Server::Backend)?;
    let mut missed = Vec::new();
    if ratio(outcomes, database, work, Server::Sqlx)? < least {
        missed.push("sqlx");
    }
    if ratio(outcomes, database, work, Server::Limit)? < OF_LIMIT {
        missed.push("limit");
    }
    if work == Work::List10000 && backend.peak_mib - backend.idle_mib > MEMORY {
        missed.push("memory");
    }
    Some(missed)
}
