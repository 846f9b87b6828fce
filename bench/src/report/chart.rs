//! The chart: for each work the three servers' requests per second, as shares of the limit's.

use std::fmt::Write;

use super::figures::{count, find};
use crate::outcome::{Database, Outcome, Server, Work};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 56.0;
/// The height of a panel's bars at the limit, and of a panel with its words.
const FULL: f64 = 190.0;
const PANEL: f64 = 330.0;
const HEADER: f64 = 64.0;
const BAR: f64 = 38.0;

pub(super) fn svg(outcomes: &[Outcome]) -> String {
    let measured = |database: &Database| outcomes.iter().any(|one| one.database == *database);
    let databases: Vec<Database> = Database::ALL.into_iter().filter(measured).collect();
    let height = HEADER + PANEL * databases.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\" role=\"img\" aria-label=\"Requests per second of backend, sqlx and the limit\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"28\" font-size=\"17\" font-weight=\"bold\" fill=\"#222222\">Requests per second, as a share \
         of the hand-written limit</text>\n"
    );
    for (at, server) in Server::ALL.into_iter().enumerate() {
        let x = LEFT + at as f64 * 150.0;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"42\" width=\"14\" height=\"14\" fill=\"{}\"/>\
             <text x=\"{}\" y=\"54\" fill=\"#222222\">{}</text>",
            color(server),
            x + 20.0,
            legend(server),
        );
    }
    for (at, database) in databases.into_iter().enumerate() {
        panel(&mut out, outcomes, database, HEADER + PANEL * at as f64);
    }
    out.push_str("</svg>\n");
    out
}

fn panel(out: &mut String, outcomes: &[Outcome], database: Database, top: f64) {
    let highest = Work::ALL
        .into_iter()
        .flat_map(|work| Server::ALL.map(|server| share(outcomes, database, work, server)));
    let highest = highest.fold(1.0_f64, f64::max);
    let floor = top + PANEL - 48.0;
    let unit = (PANEL - 48.0 - 60.0).min(FULL * highest) / highest;
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{}\" font-size=\"15\" font-weight=\"bold\" fill=\"#222222\">{}</text>",
        top + 26.0,
        database.name()
    );
    for (share, label) in [(0.0, "0"), (0.5, "50%"), (0.85, "85%"), (1.0, "limit")] {
        let y = floor - share * unit;
        let dashes = if share == 0.85 {
            " stroke-dasharray=\"5 4\""
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{}\" y2=\"{y:.1}\" stroke=\"#cccccc\"{dashes}/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"11\" fill=\"#666666\">{label}</text>",
            WIDTH - 16.0,
            LEFT - 6.0,
            y + 4.0,
        );
    }
    let group = (WIDTH - LEFT - 16.0) / Work::ALL.len() as f64;
    for (at, work) in Work::ALL.into_iter().enumerate() {
        let start = LEFT + group * at as f64;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#222222\">{}</text>",
            start + group / 2.0,
            floor + 20.0,
            work.name()
        );
        for (bar, server) in Server::ALL.into_iter().enumerate() {
            let Some(one) = find(outcomes, database, work, server) else {
                continue;
            };
            let height = share(outcomes, database, work, server) * unit;
            let x = start + (group - 3.0 * (BAR + 4.0)) / 2.0 + bar as f64 * (BAR + 4.0);
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{BAR}\" height=\"{height:.1}\" fill=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\" fill=\"#222222\">{}</text>",
                floor - height,
                color(server),
                x + BAR / 2.0,
                floor - height - 5.0,
                short(one.requests_per_second),
            );
        }
    }
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

fn color(server: Server) -> &'static str {
    match server {
        Server::Backend => "#1b6ac9",
        Server::Sqlx => "#e08a1e",
        Server::Limit => "#9aa5b1",
    }
}

fn legend(server: Server) -> &'static str {
    match server {
        Server::Backend => "backend",
        Server::Sqlx => "axum + sqlx",
        Server::Limit => "limit, by hand",
    }
}
