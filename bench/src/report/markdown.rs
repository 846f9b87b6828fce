//! The page with the tables.

use std::fmt::Write;

use super::figures::{count, find, ratio};
use super::machine;
use super::target::{MEMORY, OF_LIMIT, missed, of_sqlx};
use crate::outcome::{Database, Outcome, Server, Work};

/// How it was measured.
pub(crate) struct Conditions {
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    pub(crate) command: String,
}

pub(super) fn page(outcomes: &[Outcome], conditions: &Conditions, has_profile: bool) -> String {
    let mut out = format!(
        "# Benchmarks\n\n\
         Written by `{}`; do not edit.\n\n\
         Three servers answer the same requests with the same bytes, each in a process of its own, on its own copy of the \
         same database of 10,000 articles (100 for the list of 100):\n\n\
         - **backend**: the reference application, release build;\n\
         - **sqlx**: axum and sqlx 0.9 with typed structs, serde and sqlx's default pool (SQLite: WAL, synchronous=FULL, \
         foreign keys on);\n\
         - **limit**: axum with rusqlite (reader threads, one writer with group commit) or tokio-postgres (4 shared \
         connections, pipelined), every byte written by hand.\n\n\
         32 clients, 8 for the list of 10,000, ask again as soon as they are answered, from a load generator on the same \
         machine. {} rounds of {} s for each server, the servers alternating; the figures are medians of the rounds. CPU \
         is the server process's own, peak its largest resident memory.\n\n\
         Machine: {}. SQLite {}.\n\n\
         ![Requests per second, as a share of the limit](chart.svg)\n",
        conditions.command,
        conditions.rounds,
        conditions.seconds,
        machine::description(),
        rusqlite::version(),
    );
    for database in Database::ALL {
        if outcomes.iter().any(|one| one.database == database) {
            let _ = write!(out, "\n## {}\n\n", database.name());
            ratios(&mut out, outcomes, database);
            out.push('\n');
            figures(&mut out, outcomes, database);
        }
    }
    if has_profile {
        out.push_str("\nWhere the time goes: [profile.md](profile.md).\n");
    }
    out
}

fn ratios(out: &mut String, outcomes: &[Outcome], database: Database) {
    out.push_str(
        "| work | backend against sqlx | target | backend against the limit | target | memory above idle | met |\n\
         |---|---:|---:|---:|---:|---:|---|\n",
    );
    for work in Work::ALL {
        let Some(backend) = find(outcomes, database, work, Server::Backend) else {
            continue;
        };
        let times = |other| {
            ratio(outcomes, database, work, other).map_or("-".to_owned(), |ratio| format!("{ratio:.2}x"))
        };
        let target = of_sqlx(database, work);
        let words = |number: Option<f64>| number.map_or("-".to_owned(), |number| format!("{number}x"));
        let above = backend.peak_mib - backend.idle_mib;
        let memory = match work {
            Work::List10000 => format!("{above:.1} MiB (at most {MEMORY} MiB)"),
            Work::Get | Work::List100 | Work::Create | Work::Patch | Work::Mixed => format!("{above:.1} MiB"),
        };
        let met = match missed(outcomes, database, work) {
            None => "-".to_owned(),
            Some(missed) if missed.is_empty() => "yes".to_owned(),
            Some(missed) => format!("**no**: {}", missed.join(", ")),
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {memory} | {met} |",
            work.name(),
            times(Server::Sqlx),
            words(target),
            times(Server::Limit),
            words(target.map(|_| OF_LIMIT)),
        );
    }
}

fn figures(out: &mut String, outcomes: &[Outcome], database: Database) {
    out.push_str(
        "| work | server | requests/s | p50 ms | p99 ms | CPU µs/request | peak MiB | idle MiB |\n\
         |---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for one in outcomes.iter().filter(|one| one.database == database) {
        let failed = if one.failed > 0 {
            format!(" ({} failed)", one.failed)
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "| {} | {} | {}{failed} | {:.2} | {:.2} | {} | {:.1} | {:.1} |",
            one.work.name(),
            one.server.name(),
            count(one.requests_per_second),
            one.p50_ms,
            one.p99_ms,
            count(one.cpu_micros),
            one.peak_mib,
            one.idle_mib,
        );
    }
}
