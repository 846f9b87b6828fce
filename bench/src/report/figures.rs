//! Lookup and formatting of figures.

use crate::outcome::{Database, Outcome, Server, Work};

pub(super) fn find(outcomes: &[Outcome], database: Database, work: Work, server: Server) -> Option<&Outcome> {
    let is_it = |one: &&Outcome| one.database == database && one.work == work && one.server == server;
    outcomes.iter().find(is_it)
}

/// Returns the ratio of `backend`'s requests per second to another server's.
pub(super) fn ratio(outcomes: &[Outcome], database: Database, work: Work, other: Server) -> Option<f64> {
    let backend = find(outcomes, database, work, Server::Backend)?;
    let other = find(outcomes, database, work, other)?;
    Some(backend.requests_per_second / other.requests_per_second)
}

/// Formats a whole number with commas, or a small one with one decimal place.
pub(super) fn count(number: f64) -> String {
    if number < 100.0 {
        return format!("{number:.1}");
    }
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
