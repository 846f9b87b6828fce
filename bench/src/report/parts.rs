//! Parts of the page other than the comparison: growth, and many models.

use std::fmt::Write;

use super::figures::{count, find};
use super::target::{self, Verdict};
use crate::outcome::{Database, Outcome, Outcomes, Server};

pub(super) fn growth(out: &mut String, outcomes: &Outcomes) {
    if outcomes.growth.is_empty() {
        return;
    }
    out.push_str(
        "\n## Growth\n\n\
         One client requests lists of increasing length, one after another. sqlx is excluded, because it buffers the whole \
         list before it sends the first byte.\n\n\
         | database | rows | server | first byte ms | whole list ms | µs/row | MiB sent | peak MiB | idle MiB |\n\
         |---|---:|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for one in &outcomes.growth {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {:.2} | {:.1} | {:.2} | {:.1} | {:.1} | {:.1} |",
            one.database.name(),
            count(one.rows as f64),
            one.server.name(),
            one.first_byte_ms,
            one.whole_ms,
            one.whole_ms * 1e3 / one.rows as f64,
            one.mib,
            one.peak_mib,
            one.idle_mib,
        );
    }
    verdicts(out, |database| target::growth(outcomes, database));
}

pub(super) fn pages(out: &mut String, outcomes: &Outcomes) {
    let Some(first) = outcomes.pages.first() else {
        return;
    };
    let _ = write!(
        out,
        "\n## Pages\n\n\
         One client repeatedly requests one page of 50 out of {} articles from `backend`, in rounds of a third of the usual \
         time: the first page and the one in the middle, by cursor and by offset. One in 50 articles has no rating; the \
         others are evenly distributed over 49 ratings.\n\n\
         | database | sorted by | page | by | p50 ms | p99 ms | requests/s | CPU µs/request |\n\
         |---|---|---:|---|---:|---:|---:|---:|\n",
        count(first.rows as f64)
    );
    for one in &outcomes.pages {
        let _ = writeln!(
            out,
            "| {} | `{}` | {} | {} | {:.2} | {:.2} | {} | {} |",
            one.database.name(),
            one.order,
            one.number,
            one.by.name(),
            one.p50_ms,
            one.p99_ms,
            count(one.requests_per_second),
            count(one.cpu_micros),
        );
    }
    verdicts(out, |database| target::pages(outcomes, database));
}

pub(super) fn html(out: &mut String, outcomes: &Outcomes) {
    if outcomes.html.is_empty() {
        return;
    }
    out.push_str(
        "\n## HTML pages\n\n\
         A page of 100 articles, `?page=1&pageSize=100`, as JSON and as HTML, from one server in alternating rounds.\n\n\
         | database | media type | requests/s | p50 ms | p99 ms | CPU µs/request | KiB |\n\
         |---|---|---:|---:|---:|---:|---:|\n",
    );
    for one in &outcomes.html {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {:.2} | {:.2} | {} | {:.0} |",
            one.database.name(),
            one.media_type,
            count(one.requests_per_second),
            one.p50_ms,
            one.p99_ms,
            count(one.cpu_micros),
            one.kib,
        );
    }
    verdicts(out, |database| target::html(outcomes, database));
}

pub(super) fn secured(out: &mut String, outcomes: &Outcomes) {
    if outcomes.secured.is_empty() {
        return;
    }
    out.push_str(
        "\n## Accounts and policies\n\n\
         The reference application with a bearer token of the author of all articles, beside the same articles without \
         accounts and policies (backend) and beside sqlx. By default (secured), tokens and their accounts are cached on SQLite, \
         and read for each request on PostgreSQL, unless they were read within a quarter of a second (cached, \
         `--credential-cache-ms 250`). Requests are not logged.\n\n\
         | database | work | server | requests/s | of backend | p50 ms | p99 ms | CPU µs/request |\n\
         |---|---|---|---:|---:|---:|---:|---:|\n",
    );
    beside_backend(out, &outcomes.secured);
    verdicts(out, |database| target::secured(outcomes, database));
}

pub(super) fn keyed(out: &mut String, outcomes: &Outcomes) {
    if outcomes.keyed.is_empty() {
        return;
    }
    out.push_str(
        "\n## Idempotency keys\n\n\
         Writes whose responses are stored for their repetition, each with a key of its own that is random (keyed) or begins with \
         the time, as a UUID of version 7 (keyed by time), beside the same without keys (backend).\n\n\
         | database | work | server | requests/s | of backend | p50 ms | p99 ms | CPU µs/request |\n\
         |---|---|---|---:|---:|---:|---:|---:|\n",
    );
    beside_backend(out, &outcomes.keyed);
    verdicts(out, |database| target::keyed(outcomes, database));
}

pub(super) fn nested(out: &mut String, outcomes: &Outcomes) {
    if outcomes.nested.is_empty() {
        return;
    }
    out.push_str(
        "\n## Nested writes\n\n\
         Invoices with 20 lines each in one request, beside requests with one line each. Requests of concurrent clients share\n\
         commits, so that a line alone costs less than with one client.\n\n\
         | database | work | clients | requests/s | p50 ms | p99 ms | CPU µs/request |\n\
         |---|---|---:|---:|---:|---:|---:|\n",
    );
    for one in &outcomes.nested {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {:.2} | {:.2} | {} |",
            one.database.name(),
            one.work.name(),
            one.clients,
            count(one.requests_per_second),
            one.p50_ms,
            one.p99_ms,
            count(one.cpu_micros),
        );
    }
    verdicts(out, |database| target::nested(outcomes, database));
}

/// Writes one line per outcome, with its ratio to that of `backend`.
fn beside_backend(out: &mut String, outcomes: &[Outcome]) {
    for one in outcomes {
        let open = find(outcomes, one.database, one.work, Server::Backend);
        let ratio = open.map_or(1.0, |open| one.requests_per_second / open.requests_per_second);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {ratio:.2}x | {:.2} | {:.2} | {} |",
            one.database.name(),
            one.work.name(),
            one.server.name(),
            count(one.requests_per_second),
            one.p50_ms,
            one.p99_ms,
            count(one.cpu_micros),
        );
    }
}

pub(super) fn models(out: &mut String, outcomes: &Outcomes) {
    if outcomes.starts.is_empty() {
        return;
    }
    out.push_str(
        "\n## Models\n\n\
         A server with 200 models of 20 columns each, compared with one with a single model. The startup time is measured \
         from the start of the process to its first response; on a fresh database it includes creating the tables.\n\n\
         | database | models | start, existing ms | start, fresh ms |\n\
         |---|---:|---:|---:|\n",
    );
    for one in &outcomes.starts {
        let (database, models) = (one.database.name(), one.models);
        let (existing, fresh) = (one.existing_ms, one.fresh_ms);
        let _ = writeln!(out, "| {database} | {models} | {existing:.0} | {fresh:.0} |");
    }
    out.push_str(
        "\n| database | models | requested | get requests/s | CPU µs/request | peak MiB |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for one in &outcomes.models {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {:.1} |",
            one.database.name(),
            one.models,
            one.requested,
            count(one.requests_per_second),
            count(one.cpu_micros),
            one.peak_mib,
        );
    }
    out.push_str(
        "\n| database | models | first `openapi.json` ms | later ms | MiB |\n\
         |---|---:|---:|---:|---:|\n",
    );
    for one in &outcomes.documents {
        let _ = writeln!(
            out,
            "| {} | {} | {:.1} | {:.1} | {:.1} |",
            one.database.name(),
            one.models,
            one.first_ms,
            one.next_ms,
            one.mib,
        );
    }
    verdicts(out, |database| target::models(outcomes, database));
}

fn verdicts(out: &mut String, of: impl Fn(Database) -> Vec<Verdict>) {
    out.push_str("\n| target | database | measured | met |\n|---|---|---:|---|\n");
    for database in Database::ALL {
        for one in of(database) {
            let met = if one.is_met { "yes" } else { "**no**" };
            let (target, database) = (one.target, database.name());
            let _ = writeln!(out, "| {target} | {database} | {} | {met} |", one.measured);
        }
    }
}
