//! The report as a Markdown page.

use std::fmt::Write;

use super::figures::{count, find, ratio};
use super::target::{MEMORY, OF_LIMIT, missed, of_sqlx};
use super::{machine, parts};
use crate::outcome::{Database, Outcome, Outcomes, Server, Work};

const QUICK: &str =
    "**A quick run, to see that it works: the rounds are too short for figures to judge by.**\n\n";

const REPEAT: &str = "
## Repeat it

| command | what it does |
|---|---|
| `cargo xtask bench` | all of the above; a PostgreSQL server of its own is started and stopped as for the tests |
| `cargo xtask bench --quick` | the same in two minutes, with short rounds and tables of up to 100,000 rows |
| `cargo xtask bench --json FILE` | writes the rows of the comparison as JSON too |
| `cargo xtask bench --part growth` | one part only, here `articles`, `growth`, `pages` or `models`; `--help` has more such choices |
| `cargo xtask bench --baseline HEAD~1` | this commit beside another one, each built from its own sources, on both databases |
| `cargo xtask bench --pure` | dump of one row, load of one body, routing and negotiation, without server and database |

The package is a workspace of its own and has its own checks: `cargo fmt --manifest-path bench/Cargo.toml`, and `cargo clippy`
and `cargo test` with `--manifest-path bench/Cargo.toml --target-dir target/bench --all-targets`.
";

/// Conditions of the measurement.
pub(crate) struct Conditions {
    pub(crate) is_quick: bool,
    /// Load average of the machine at the start.
    pub(crate) load_average: String,
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    /// Number of rows in the longest table.
    pub(crate) longest: u64,
    pub(crate) command: String,
}

pub(super) fn page(all: &Outcomes, conditions: &Conditions, has_profile: bool) -> String {
    let outcomes = &all.articles;
    let mut out = format!(
        "# Benchmarks\n\n\
         Written by `{}`; do not edit.\n\n\
         {}\
         Three servers answer the same requests with the same bytes, each in a process of its own, on its own copy of the \
         same database of 10,000 articles (100 for the lists of 100). The filtered, sorted page is one of {}, of \
         which two servers read the same database: `?published=true&rating[gte]=4&sort=-createdAt&limit=50`. With their \
         categories is `?expand=category`, which sqlx answers with a LEFT JOIN. The limit does neither:\n\n\
         - **backend**: the reference application's articles, release build, without its accounts and policies, since neither \
         of the others has any;\n\
         - **sqlx**: axum and sqlx 0.9 with typed structs, serde and sqlx's default pool (SQLite: WAL, synchronous=FULL, \
         foreign keys on);\n\
         - **limit**: axum with rusqlite (reader threads, one writer with group commit) or tokio-postgres (4 \
         shared connections for reads and 16 for writes, pipelined), every byte written by hand.\n\n\
         All three are built with the same settings and use mimalloc. \
         32 clients, 8 for the list of 10,000, ask again as soon as they are answered, from a load generator on the same \
         machine. {} rounds of {} s for each server, the servers alternating; the figures are medians of the rounds. CPU \
         is the server process's own, load that of the load generator, peak the largest resident memory of the server.\n\n\
         Machine: {}; its load average before the run was {}. {}.\n\n\
         ![Requests per second, as a share of the limit](chart.svg)\n",
        conditions.command,
        if conditions.is_quick { QUICK } else { "" },
        count(conditions.longest as f64),
        conditions.rounds,
        conditions.seconds,
        machine::description(),
        conditions.load_average,
        all.versions.join("; "),
    );
    for database in Database::ALL {
        if outcomes.iter().any(|one| one.database == database) {
            let _ = write!(out, "\n## {}\n\n", database.name());
            ratios(&mut out, outcomes, database);
            out.push('\n');
            figures(&mut out, outcomes, database);
        }
    }
    parts::growth(&mut out, all);
    parts::pages(&mut out, all);
    parts::models(&mut out, all);
    if has_profile {
        out.push_str("\nWhere the time goes: [profile.md](profile.md).\n");
    }
    out.push_str(REPEAT);
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
            Work::Get
            | Work::List100
            | Work::Expanded100
            | Work::Filtered
            | Work::Create
            | Work::Patch
            | Work::Mixed => format!("{above:.1} MiB"),
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
            words((target.is_some() && work.has_limit()).then_some(OF_LIMIT)),
        );
    }
}

fn figures(out: &mut String, outcomes: &[Outcome], database: Database) {
    out.push_str(
        "| work | server | requests/s | p50 ms | p99 ms | CPU µs/request | load µs/request | peak MiB | idle MiB |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for one in outcomes.iter().filter(|one| one.database == database) {
        let failed = if one.failed > 0 {
            format!(" ({} failed)", one.failed)
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "| {} | {} | {}{failed} | {:.2} | {:.2} | {} | {} | {:.1} | {:.1} |",
            one.work.name(),
            one.server.name(),
            count(one.requests_per_second),
            one.p50_ms,
            one.p99_ms,
            count(one.cpu_micros),
            count(one.load_micros),
            one.peak_mib,
            one.idle_mib,
        );
    }
}
