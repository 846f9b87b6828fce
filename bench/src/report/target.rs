//! Targets of the figures.

use super::figures::{count, find, ratio};
use crate::outcome::{
    By, Database, Growth, Html, LINES, Models, Outcome, Outcomes, Page, Server, Start, Work,
};

/// Minimum ratio to the hand-written limit, for every workload with a target.
pub(super) const OF_LIMIT: f64 = 0.85;
/// Maximum rise of memory while long lists are sent, in MiB.
pub(super) const MEMORY: f64 = 32.0;
/// Maximum delay of the longest list's first byte compared with the shortest list's, in milliseconds.
const FIRST_BYTE: f64 = 100.0;
/// Maximum peak of the longest list above that of 10,000 rows, in MiB. 10,000 rows fill the databases' caches, so a
/// smaller rise counts as flat.
const FLAT: f64 = 8.0;
/// Maximum time per row of the longest list, relative to the list of 10,000 rows.
const PER_ROW: f64 = 1.25;
/// Maximum time of a distant page by cursor, relative to the first page.
const FAR_PAGE: f64 = 1.3;
/// Maximum time of a start with 200 models, in milliseconds.
const START: f64 = 200.0;
/// Minimum requests per second of an HTML page of 100 rows.
const HTML: f64 = 1_000.0;
/// Maximum time of the first `openapi.json` of 500 models, in milliseconds.
const DOCUMENT: f64 = 100.0;
/// Minimum ratio of a create with a key to one without.
const KEYED: f64 = 0.6;
/// Minimum speed of lines that are written with their invoice, relative to lines that are written one by one.
const NESTED: f64 = 5.0;
/// Relative difference that counts as equal, because two rounds of one server differ by as much.
const NOISE: f64 = 0.05;

/// A target, the measured figure, and whether the target is met.
pub(super) struct Verdict {
    pub(super) target: String,
    pub(super) measured: String,
    pub(super) is_met: bool,
}

/// Returns the minimum ratio to sqlx.
pub(super) fn of_sqlx(database: Database, work: Work) -> Option<f64> {
    match (database, work) {
        (_, Work::Mixed | Work::Filtered | Work::Line | Work::Invoice) => None,
        (Database::Sqlite, Work::Tagged100) => Some(3.0),
        (Database::Postgres, Work::Tagged100) => Some(1.5),
        (_, Work::Expanded100) => Some(3.0),
        (Database::Sqlite, Work::Get) => Some(2.3),
        (Database::Sqlite, Work::List100 | Work::List10000 | Work::Create | Work::Patch) => Some(8.0),
        (Database::Postgres, Work::Get | Work::List10000) => Some(1.5),
        (Database::Postgres, Work::List100) => Some(1.6),
        (Database::Postgres, Work::Create | Work::Patch) => Some(1.2),
    }
}

/// Returns the missed targets; `None` if the workload has no target.
pub(super) fn missed(outcomes: &[Outcome], database: Database, work: Work) -> Option<Vec<&'static str>> {
    let least = of_sqlx(database, work)?;
    let backend = find(outcomes, database, work, Server::Backend)?;
    let mut missed = Vec::new();
    if ratio(outcomes, database, work, Server::Sqlx)? < least {
        missed.push("sqlx");
    }
    if work.has_limit() && ratio(outcomes, database, work, Server::Limit)? < OF_LIMIT {
        missed.push("limit");
    }
    if work == Work::List10000 && backend.peak_mib - backend.idle_mib > MEMORY {
        missed.push("memory");
    }
    Some(missed)
}

/// Evaluates the targets of growing lists.
pub(super) fn growth(outcomes: &Outcomes, database: Database) -> Vec<Verdict> {
    let is_it = |one: &&Growth| one.database == database && one.server == Server::Backend;
    let all: Vec<&Growth> = outcomes.growth.iter().filter(is_it).collect();
    let (Some(short), Some(long)) = (all.first(), all.last()) else {
        return Vec::new();
    };
    let middle = all.iter().find(|one| one.rows == 10_000).unwrap_or(short);
    let rows = count(long.rows as f64);
    let later = long.first_byte_ms - short.first_byte_ms;
    let above = long.peak_mib - middle.peak_mib;
    let times = (long.whole_ms / long.rows as f64) / (middle.whole_ms / middle.rows as f64);
    vec![
        Verdict {
            target: format!(
                "first byte of {rows} rows at most {FIRST_BYTE} ms after that of {}",
                count(short.rows as f64)
            ),
            measured: format!("{later:+.1} ms"),
            is_met: later <= FIRST_BYTE,
        },
        Verdict {
            target: format!("flat memory: peak at most {FLAT} MiB above that of 10,000 rows"),
            measured: format!("{above:+.1} MiB"),
            is_met: above <= FLAT,
        },
        Verdict {
            target: format!("time per row at most {PER_ROW}x that of 10,000 rows"),
            measured: format!("{times:.2}x"),
            is_met: times <= PER_ROW,
        },
    ]
}

/// Evaluates the targets of pages of a long table.
pub(super) fn pages(outcomes: &Outcomes, database: Database) -> Vec<Verdict> {
    let is_it = |one: &&Page| one.database == database && one.by == By::Cursor;
    let all: Vec<&Page> = outcomes.pages.iter().filter(is_it).collect();
    let pairs = all.iter().flat_map(|first| {
        let is_far = |far: &&&Page| far.order == first.order && far.number > first.number;
        all.iter().find(is_far).map(|far| (first, far))
    });
    let verdict = |(first, far): (&&Page, &&Page)| {
        let times = far.p50_ms / first.p50_ms;
        Verdict {
            target: format!(
                "page {} of `sort={}` by cursor in at most {FAR_PAGE}x the time of the first",
                count(far.number as f64),
                far.order
            ),
            measured: format!("{times:.2}x"),
            is_met: times <= FAR_PAGE,
        }
    };
    pairs.map(verdict).collect()
}

/// Evaluates the target of HTML pages.
pub(super) fn html(outcomes: &Outcomes, database: Database) -> Vec<Verdict> {
    let is_it = |one: &&Html| one.database == database && one.media_type == "text/html";
    let verdict = |one: &Html| Verdict {
        target: format!("HTML page of 100 rows at least {} requests/s", count(HTML)),
        measured: count(one.requests_per_second),
        is_met: one.requests_per_second >= HTML,
    };
    outcomes.html.iter().filter(is_it).map(verdict).collect()
}

/// Evaluates the target of creates with a key.
pub(super) fn keyed(outcomes: &Outcomes, database: Database) -> Vec<Verdict> {
    let outcomes = &outcomes.keyed;
    let verdict = |(server, key)| {
        let open = find(outcomes, database, Work::Create, Server::Backend)?;
        let keyed = find(outcomes, database, Work::Create, server)?;
        let ratio = keyed.requests_per_second / open.requests_per_second;
        Some(Verdict {
            target: format!("create with {key} at least {KEYED}x of one without"),
            measured: format!("{ratio:.2}x"),
            is_met: ratio >= KEYED,
        })
    };
    let keys = [
        (Server::Keyed, "a random key"),
        (Server::KeyedByTime, "a key by time"),
    ];
    keys.into_iter().filter_map(verdict).collect()
}

/// Evaluates the target of nested writes, by one client: an application that sends twenty requests or one.
pub(super) fn nested(outcomes: &Outcomes, database: Database) -> Vec<Verdict> {
    let speed = |work| {
        let is_it = |one: &&Outcome| one.database == database && one.work == work && one.clients == 1;
        outcomes
            .nested
            .iter()
            .find(is_it)
            .map(|one| one.requests_per_second)
    };
    let verdict = |(alone, together): (f64, f64)| {
        let ratio = together * LINES as f64 / alone;
        Verdict {
            target: format!(
                "one client: {LINES} lines with their invoice at least {NESTED}x {LINES} requests with one line"
            ),
            measured: format!("{ratio:.2}x"),
            is_met: ratio >= NESTED,
        }
    };
    let speeds = speed(Work::Line).zip(speed(Work::Invoice));
    speeds.map(verdict).into_iter().collect()
}

/// Evaluates the targets of accounts and policies.
pub(super) fn secured(outcomes: &Outcomes, database: Database) -> Vec<Verdict> {
    let outcomes = &outcomes.secured;
    let judged = match database {
        Database::Sqlite => Server::Secured,
        Database::Postgres => Server::Cached,
    };
    let is_it = |one: &&Outcome| one.database == database && one.server == judged;
    let verdict = |one: &Outcome| {
        let open = find(outcomes, database, one.work, Server::Backend)?;
        let least = match one.work {
            Work::Create | Work::Patch => 0.8,
            Work::Get
            | Work::List100
            | Work::List10000
            | Work::Expanded100
            | Work::Tagged100
            | Work::Filtered
            | Work::Mixed
            | Work::Line
            | Work::Invoice => 0.9,
        };
        let ratio = one.requests_per_second / open.requests_per_second;
        Some(Verdict {
            target: format!(
                "{} with accounts at least {least}x of that without",
                one.work.name()
            ),
            measured: format!("{ratio:.2}x"),
            is_met: ratio >= least,
        })
    };
    outcomes.iter().filter(is_it).filter_map(verdict).collect()
}

/// Evaluates the targets of many models.
pub(super) fn models(outcomes: &Outcomes, database: Database) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let is_it = |one: &&Start| one.database == database && one.models > 1;
    if let Some(start) = outcomes.starts.iter().find(is_it) {
        for (what, time) in [("an existing", start.existing_ms), ("a fresh", start.fresh_ms)] {
            verdicts.push(Verdict {
                target: format!(
                    "start with {} models on {what} database below {START} ms",
                    start.models
                ),
                measured: format!("{time:.0} ms"),
                is_met: time < START,
            });
        }
    }
    let documents = outcomes.documents.iter().filter(|one| one.database == database);
    verdicts.extend(documents.map(|one| Verdict {
        target: format!(
            "first `openapi.json` of {} models below {DOCUMENT} ms",
            one.models
        ),
        measured: format!("{:.1} ms", one.first_ms),
        is_met: one.first_ms < DOCUMENT,
    }));
    let all: Vec<&Models> = outcomes
        .models
        .iter()
        .filter(|one| one.database == database)
        .collect();
    let Some(single) = all.iter().find(|one| one.models == 1) else {
        return verdicts;
    };
    for many in all.iter().filter(|one| one.models > 1) {
        let share = many.requests_per_second / single.requests_per_second;
        verdicts.push(Verdict {
            target: format!(
                "get with {} models, {} of them requested, at most {:.0}% slower than with one",
                many.models,
                many.requested,
                NOISE * 100.0
            ),
            measured: format!("{share:.2}x"),
            is_met: share >= 1.0 - NOISE,
        });
    }
    verdicts
}
