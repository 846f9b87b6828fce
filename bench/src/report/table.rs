//! The table for the terminal.

use std::fmt::Write;

use super::figures::{count, ratio};
use crate::outcome::{Outcome, Server};

pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let mut out = format!(
        "{:<11} {:<18} {:<8} {:>10} {:>9} {:>9} {:>10} {:>9} {:>8} {:>8}\n",
        "database",
        "work",
        "server",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "CPU us/req",
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
            "{:<11} {:<18} {:<8} {:>10} {:>9.2} {:>9.2} {:>10} {:>9.1} {:>8.1} {:>8}",
            one.database.name(),
            one.work.name(),
            one.server.name(),
            count(one.requests_per_second),
            one.p50_ms,
            one.p99_ms,
            count(one.cpu_micros),
            one.peak_mib,
            one.idle_mib,
            ratio.map_or(String::new(), |ratio| format!("{ratio:.2}x")),
        );
        if one.failed > 0 {
            let _ = write!(out, "  {} requests failed", one.failed);
        }
        out.push('\n');
    }
    out
}
