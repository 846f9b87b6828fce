//! Tables for the terminal.

use std::fmt::Write;

use super::figures::{count, ratio};
use super::target::{self, Verdict};
use crate::outcome::{Database, Outcome, Outcomes, Server};

pub(crate) fn table(outcomes: &Outcomes) -> String {
    let mut out = String::new();
    if !outcomes.articles.is_empty() {
        articles(&mut out, &outcomes.articles);
    }
    if !outcomes.growth.is_empty() {
        growth(&mut out, outcomes);
        verdicts(&mut out, |database| target::growth(outcomes, database));
    }
    if !outcomes.pages.is_empty() {
        pages(&mut out, outcomes);
        verdicts(&mut out, |database| target::pages(outcomes, database));
    }
    if !outcomes.html.is_empty() {
        html(&mut out, outcomes);
        verdicts(&mut out, |database| target::html(outcomes, database));
    }
    if !outcomes.secured.is_empty() {
        articles(&mut out, &outcomes.secured);
        verdicts(&mut out, |database| target::secured(outcomes, database));
    }
    if !outcomes.keyed.is_empty() {
        articles(&mut out, &outcomes.keyed);
        verdicts(&mut out, |database| target::keyed(outcomes, database));
    }
    if !outcomes.starts.is_empty() {
        models(&mut out, outcomes);
        verdicts(&mut out, |database| target::models(outcomes, database));
    }
    out
}

fn articles(out: &mut String, outcomes: &[Outcome]) {
    let _ = writeln!(
        out,
        "{:<11} {:<33} {:<8} {:>10} {:>9} {:>9} {:>10} {:>11} {:>9} {:>8} {:>8}",
        "database",
        "work",
        "server",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "CPU us/req",
        "load us/req",
        "peak MiB",
        "idle MiB",
        "backend"
    );
    for one in outcomes {
        let ratio = match one.server {
            Server::Backend => None,
            other => ratio(outcomes, one.database, one.work, other),
        };
        let _ = write!(
            out,
            "{:<11} {:<33} {:<8} {:>10} {:>9.2} {:>9.2} {:>10} {:>11} {:>9.1} {:>8.1} {:>8}",
            one.database.name(),
            one.work.name(),
            one.server.name(),
            count(one.requests_per_second),
            one.p50_ms,
            one.p99_ms,
            count(one.cpu_micros),
            count(one.load_micros),
            one.peak_mib,
            one.idle_mib,
            ratio.map_or(String::new(), |ratio| format!("{ratio:.2}x")),
        );
        if one.failed > 0 {
            let _ = write!(out, "  {} requests failed", one.failed);
        }
        out.push('\n');
    }
}

fn growth(out: &mut String, outcomes: &Outcomes) {
    let _ = writeln!(
        out,
        "\n{:<11} {:>9} {:<8} {:>13} {:>13} {:>9} {:>9} {:>8}",
        "database", "rows", "server", "first byte ms", "whole list ms", "us/row", "peak MiB", "idle MiB"
    );
    for one in &outcomes.growth {
        let _ = writeln!(
            out,
            "{:<11} {:>9} {:<8} {:>13.2} {:>13.1} {:>9.2} {:>9.1} {:>8.1}",
            one.database.name(),
            count(one.rows as f64),
            one.server.name(),
            one.first_byte_ms,
            one.whole_ms,
            one.whole_ms * 1e3 / one.rows as f64,
            one.peak_mib,
            one.idle_mib,
        );
    }
}

fn pages(out: &mut String, outcomes: &Outcomes) {
    out.push('\n');
    for one in &outcomes.pages {
        let _ = writeln!(
            out,
            "{:<11} page {:>6} of {} rows by {:<10} {}: p50 {:>8.2} ms, p99 {:>8.2} ms, {:>7} us/request",
            one.database.name(),
            one.number,
            one.rows,
            one.order,
            one.by.name(),
            one.p50_ms,
            one.p99_ms,
            count(one.cpu_micros),
        );
    }
}

fn html(out: &mut String, outcomes: &Outcomes) {
    out.push('\n');
    for one in &outcomes.html {
        let _ = writeln!(
            out,
            "{:<11} page of 100 rows as {:<16}: {:>7} requests/s, p50 {:.2} ms, p99 {:.2} ms, {:>5} us/request, {:.0} KiB",
            one.database.name(),
            one.media_type,
            count(one.requests_per_second),
            one.p50_ms,
            one.p99_ms,
            count(one.cpu_micros),
            one.kib,
        );
    }
}

fn models(out: &mut String, outcomes: &Outcomes) {
    out.push('\n');
    for one in &outcomes.starts {
        let _ = writeln!(
            out,
            "{:<11} start with {:>3} models: {:>5.0} ms on an existing database, {:>5.0} ms on a fresh one",
            one.database.name(),
            one.models,
            one.existing_ms,
            one.fresh_ms
        );
    }
    for one in &outcomes.models {
        let _ = writeln!(
            out,
            "{:<11} get, {:>3} of {:>3} models requested: {:>7} requests/s, {:>5} us/request, peak {:.1} MiB",
            one.database.name(),
            one.requested,
            one.models,
            count(one.requests_per_second),
            count(one.cpu_micros),
            one.peak_mib
        );
    }
    for one in &outcomes.documents {
        let _ = writeln!(
            out,
            "{:<11} openapi.json of {} models: first {:.1} ms, later {:.1} ms, {:.1} MiB",
            one.database.name(),
            one.models,
            one.first_ms,
            one.next_ms,
            one.mib
        );
    }
}

fn verdicts(out: &mut String, of: impl Fn(Database) -> Vec<Verdict>) {
    for database in Database::ALL {
        for one in of(database) {
            let met = if one.is_met { "met" } else { "MISSED" };
            let (target, measured) = (one.target, one.measured);
            let _ = writeln!(out, "{:<11} {met}: {target}: {measured}", database.name());
        }
    }
}
