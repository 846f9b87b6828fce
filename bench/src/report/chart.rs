//! The chart: for each workload the requests per second of the three servers, relative to the limit.

use std::fmt::Write;

use super::figures::{count, find};
use super::target::OF_LIMIT;
use crate::outcome::{Database, Outcome, Server, Work};

const PANEL: f64 = 480.0;
const MARGIN: f64 = 28.0;
/// Height of the title, the legend, and each panel's name and scale.
const HEADER: f64 = 96.0;
const SCALE: f64 = 58.0;
/// Height of a workload's name, which is followed by a bar for each server.
const NAME: f64 = 20.0;
const BAR: f64 = 13.0;
const STEP: f64 = 16.0;
const GROUP: f64 = NAME + 3.0 * STEP + 14.0;
/// Maximum of the scale, as a share of the limit. The scale is the same for all charts.
const MAX_SHARE: f64 = 1.25;
/// Width of the figures after the bars.
const FIGURES: f64 = 104.0;

/// Colours for the light and the dark scheme.
const STYLE: &str = "\
svg { --paper: #ffffff; --ink: #1f2328; --quiet: #59636e; --line: #d8dee4; --backend: #2563eb; --sqlx: #e0882b; \
--limit: #a3afbd }
@media (prefers-color-scheme: dark) {
svg { --paper: #0d1117; --ink: #f0f6fc; --quiet: #9198a1; --line: #2b323b; --backend: #5b9bff; --sqlx: #e59a45; \
--limit: #6a7583 }
}
text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; font-size: 12px; \
fill: var(--ink) }
.title { font-size: 19px; font-weight: 650 }
.panel { font-size: 15px; font-weight: 650 }
.work { font-size: 13px; font-weight: 550 }
.quiet { fill: var(--quiet) }
.scale { font-size: 11px; fill: var(--quiet) }
.own { font-weight: 650 }
line { stroke: var(--line) }
.paper { fill: var(--paper) }
.backend { fill: var(--backend) }
.sqlx { fill: var(--sqlx) }
.limit { fill: var(--limit) }
";

pub(super) fn svg(outcomes: &[Outcome]) -> String {
    let is_measured = |database: &Database| outcomes.iter().any(|one| one.database == *database);
    let databases: Vec<Database> = Database::ALL.into_iter().filter(is_measured).collect();
    let width = MARGIN * 2.0 + PANEL * databases.len() as f64;
    let height = HEADER + SCALE + GROUP * works().count() as f64 + 8.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"Requests per second of backend, sqlx and the limit\">\n\
         <style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"38\">Requests per second, as a share of the hand-written limit</text>\n"
    );
    let mut x = MARGIN;
    for server in Server::ALL {
        let (class, words) = (server.name(), legend(server));
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"57\" width=\"12\" height=\"12\" rx=\"3\"/>\
             <text x=\"{}\" y=\"67.5\">{words}</text>",
            x + 18.0
        );
        x += 44.0 + 6.6 * words.len() as f64;
    }
    for (at, database) in databases.into_iter().enumerate() {
        panel(&mut out, outcomes, database, MARGIN + PANEL * at as f64);
    }
    out.push_str("</svg>\n");
    out
}

fn panel(out: &mut String, outcomes: &[Outcome], database: Database, left: f64) {
    let unit = (PANEL - FIGURES - MARGIN) / MAX_SHARE;
    let top = HEADER + SCALE;
    let bottom = top + GROUP * works().count() as f64 - 12.0;
    let _ = writeln!(
        out,
        "<text class=\"panel\" x=\"{left}\" y=\"{}\">{}</text>",
        HEADER + 18.0,
        database.name()
    );
    for (share, label, dashes) in [
        (0.0, "0", ""),
        (0.5, "50%", ""),
        (OF_LIMIT, "85%", " stroke-dasharray=\"3 3\""),
        (1.0, "limit", ""),
    ] {
        let x = left + share * unit;
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{}\" x2=\"{x:.1}\" y2=\"{bottom}\"{dashes}/>\
             <text class=\"scale\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            top - 6.0,
            top - 12.0,
        );
    }
    for (at, work) in works().enumerate() {
        let y = top + GROUP * at as f64;
        // Grid lines end at the text.
        let _ = writeln!(
            out,
            "<rect class=\"paper\" x=\"{}\" y=\"{}\" width=\"{:.0}\" height=\"17\"/>\
             <text class=\"work\" x=\"{left}\" y=\"{}\">{}</text>",
            left - 2.0,
            y - 1.0,
            12.0 + 7.0 * work.name().len() as f64,
            y + 12.5,
            work.name()
        );
        for (bar, server) in Server::ALL.into_iter().enumerate() {
            if let Some(one) = find(outcomes, database, work, server) {
                let share = share(outcomes, database, work, server);
                draw(out, one, share, left, y + NAME + STEP * bar as f64, unit);
            }
        }
    }
}

/// Draws a bar and its figures.
fn draw(out: &mut String, one: &Outcome, share: f64, left: f64, y: f64, unit: f64) {
    let (server, width) = (one.server, (share.min(MAX_SHARE) * unit).max(2.0));
    let own = if server == Server::Backend {
        " class=\"own\""
    } else {
        ""
    };
    let share = match server {
        Server::Limit => String::new(),
        Server::Backend
        | Server::Sqlx
        | Server::Baseline
        | Server::Secured
        | Server::Cached
        | Server::Keyed
        | Server::KeyedByTime => {
            format!(" <tspan class=\"quiet\">{:.0}%</tspan>", share * 100.0)
        }
    };
    let _ = writeln!(
        out,
        "<rect class=\"{}\" x=\"{left}\" y=\"{y}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"2\"/>\
         <rect class=\"paper\" x=\"{:.1}\" y=\"{y}\" width=\"{:.0}\" height=\"{BAR}\"/>\
         <text{own} x=\"{:.1}\" y=\"{}\">{}{share}</text>",
        server.name(),
        left + width + 2.0,
        if share.is_empty() { 50.0 } else { 84.0 },
        left + width + 6.0,
        y + 10.5,
        short(one.requests_per_second),
    );
}

/// Returns the workloads that have a limit.
fn works() -> impl Iterator<Item = Work> {
    Work::ALL.into_iter().filter(|work| work.has_limit())
}

fn share(outcomes: &[Outcome], database: Database, work: Work, server: Server) -> f64 {
    let speed = |server| find(outcomes, database, work, server).map(|one| one.requests_per_second);
    match (speed(server), speed(Server::Limit)) {
        (Some(speed), Some(limit)) if limit > 0.0 => speed / limit,
        _ => 0.0,
    }
}

fn short(number: f64) -> String {
    if number >= 10_000.0 {
        format!("{:.1}k", number / 1000.0)
    } else {
        count(number)
    }
}

fn legend(server: Server) -> &'static str {
    match server {
        Server::Backend => "backend",
        Server::Sqlx => "axum + sqlx",
        Server::Baseline => "baseline",
        Server::Secured => "with accounts",
        Server::Cached => "with accounts, cached",
        Server::Keyed => "with keys",
        Server::KeyedByTime => "with keys by time",
        Server::Limit => "limit: axum + native driver, by hand",
    }
}
