//! One round of load on one server, and the median of several.

use std::time::Duration;

use super::interrupt;
use super::load;
use super::process::{Process, own_cpu};
use super::request::Ask;
use crate::outcome::Failure;

/// Duration and number of rounds, and the clients in each.
#[derive(Clone, Copy)]
pub(super) struct Rounds {
    pub(super) count: usize,
    pub(super) time: Duration,
    pub(super) clients: usize,
}

impl Rounds {
    /// Returns the time before the first round, which is not measured.
    pub(super) fn warm_up(self) -> Duration {
        self.time / 4
    }
}

pub(super) struct Round {
    pub(super) requests_per_second: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    /// Processor time of the server per request.
    pub(super) cpu_micros: f64,
    /// Processor time of the load generator per request.
    pub(super) load_micros: f64,
    pub(super) failed: u64,
}

impl Round {
    pub(super) fn run(
        process: &Process,
        ask: Ask<'_>,
        number: usize,
        time: Duration,
    ) -> Result<Self, Failure> {
        interrupt::check()?;
        let (mut before, mut own_before) = (Ok(0.0), Ok(0.0));
        let load = load::run(process, ask, number as u64, time, || {
            (before, own_before) = (process.cpu(), own_cpu());
        })?;
        let (cpu, own) = (process.cpu()? - before?, own_cpu()? - own_before?);
        let each = |seconds: f64| seconds * 1e6 / load.answered.max(1) as f64;
        Ok(Self {
            requests_per_second: load.requests / time.as_secs_f64(),
            p50_ms: load.histogram.quantile(0.5),
            p99_ms: load.histogram.quantile(0.99),
            cpu_micros: each(cpu),
            load_micros: each(own),
            failed: load.failed,
        })
    }
}

/// Returns the median of one figure.
pub(super) fn median<T>(all: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    let mut figures: Vec<f64> = all.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}
