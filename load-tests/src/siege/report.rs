//! The table of results.

use std::fmt;
use std::time::Duration;

use crate::failure::Failure;
use crate::latencies::Latencies;

/// Latencies below this are judged as this: on two busy processors the scheduler delays a request by as much.
const FLOOR: Duration = Duration::from_millis(10);
/// Budget of the server for buffers of requests and responses, in MiB.
const MEMORY_BUDGET: u64 = 64;
/// Memory for everything else, in MiB: thousands of connections of 22 KiB each, the databases' caches, and what the
/// allocator keeps.
const MEMORY_ALLOWANCE: u64 = 64;

/// Results of all attacks.
#[derive(Default)]
pub(crate) struct Report(Vec<Line>);

/// Result of one attack.
pub(crate) struct Line {
    database: &'static str,
    attack: &'static str,
    works: [WorkResult; 4],
    /// Growth of the server's memory in MiB, since before the first attack.
    memory: u64,
}

/// Result of one kind of work during an attack.
pub(crate) struct WorkResult {
    before: Duration,
    during: Duration,
    longest: Duration,
    unavailable: u64,
    failed: u64,
    target: WorkTarget,
}

/// Target of one kind of work.
#[derive(Clone, Copy)]
pub(crate) enum WorkTarget {
    /// All requests succeed, and the 99th percentile grows by no more than this.
    MaxRatio(f64),
    /// Requests succeed or are answered by a 503 with `Retry-After`, within this time.
    RefusedWithin(Duration),
}

impl WorkResult {
    pub(crate) fn new(before: &Latencies, during: &Latencies, target: WorkTarget) -> Self {
        Self {
            before: before.p99(),
            during: during.p99(),
            longest: during.longest(),
            unavailable: during.unavailable(),
            failed: during.failed(),
            target,
        }
    }

    fn ratio(&self) -> f64 {
        self.during.as_secs_f64() / self.before.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    fn judged_ratio(&self) -> f64 {
        self.during.max(FLOOR).as_secs_f64() / self.before.max(FLOOR).as_secs_f64()
    }

    fn is_good(&self) -> bool {
        match self.target {
            WorkTarget::MaxRatio(max) => {
                self.judged_ratio() <= max && self.failed == 0 && self.unavailable == 0
            }
            WorkTarget::RefusedWithin(limit) => self.longest <= limit && self.failed == 0,
        }
    }
}

impl Line {
    pub(crate) fn new(
        database: &'static str,
        attack: &'static str,
        works: [WorkResult; 4],
        memory: u64,
    ) -> Self {
        Self {
            database,
            attack,
            works,
            memory,
        }
    }

    /// Whether no target is missed.
    pub(crate) fn is_good(&self) -> bool {
        self.has_enough_memory() && self.works.iter().all(WorkResult::is_good)
    }

    fn has_enough_memory(&self) -> bool {
        self.memory <= MEMORY_BUDGET + MEMORY_ALLOWANCE
    }
}

impl Report {
    pub(crate) fn add(&mut self, line: Line) {
        eprint!("{line}");
        self.0.push(line);
    }

    /// Fails if a target is missed.
    pub(crate) fn verdict(&self) -> Result<(), Failure> {
        let is_missed = |line: &&Line| !line.is_good();
        let missed: Vec<String> = self
            .0
            .iter()
            .filter(is_missed)
            .map(|line| format!("{} ({})", line.attack, line.database))
            .collect();
        if missed.is_empty() {
            return Ok(());
        }
        let missed = missed.join(", ");
        Err(format!("too slow, failed requests or too much memory: {missed}").into())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| database | attack | get | list | write | login | memory |")?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        self.0.iter().try_for_each(|line| line.fmt(f))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} | {} |", self.database, self.attack)?;
        for result in &self.works {
            write!(f, " {result}{} |", mark(result.is_good()))?;
        }
        writeln!(f, " +{} MiB{} |", self.memory, mark(self.has_enough_memory()))
    }
}

impl fmt::Display for WorkResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        let (before, during) = (milliseconds(self.before), milliseconds(self.during));
        write!(f, "{before:.1} → {during:.1} ms")?;
        match self.target {
            WorkTarget::MaxRatio(_) => {
                write!(f, ", {:.1}x (judged {:.1}x)", self.ratio(), self.judged_ratio())?;
            }
            WorkTarget::RefusedWithin(limit) => {
                let (longest, limit) = (self.longest.as_secs_f64(), limit.as_secs_f64());
                write!(f, ", longest {longest:.1} s of {limit:.1} s")?;
            }
        }
        if self.unavailable > 0 {
            write!(f, ", {} with 503", self.unavailable)?;
        }
        if self.failed > 0 {
            write!(f, ", {} failed", self.failed)?;
        }
        Ok(())
    }
}

fn mark(is_good: bool) -> &'static str {
    if is_good { "" } else { " **missed**" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latencies::Outcome;

    fn latencies(requests: &[(Outcome, u64)]) -> Latencies {
        let mut latencies = Latencies::default();
        for (outcome, milliseconds) in requests {
            latencies.add(*outcome, Duration::from_millis(*milliseconds));
        }
        latencies
    }

    fn result(before: u64, during: &[(Outcome, u64)], target: WorkTarget) -> WorkResult {
        WorkResult::new(
            &latencies(&[(Outcome::Success, before)]),
            &latencies(during),
            target,
        )
    }

    #[test]
    fn the_table_has_the_true_ratio_beside_the_judged_one() {
        let slower = result(5, &[(Outcome::Success, 20)], WorkTarget::MaxRatio(3.0));
        assert_eq!(slower.to_string(), "5.0 → 20.0 ms, 4.0x (judged 2.0x)");
        assert!(slower.is_good());
        assert!(!result(5, &[(Outcome::Success, 31)], WorkTarget::MaxRatio(3.0)).is_good());
    }

    #[test]
    fn work_that_is_not_prevented_must_succeed() {
        for outcome in [Outcome::Unavailable, Outcome::Failure] {
            assert!(!result(5, &[(outcome, 5)], WorkTarget::MaxRatio(3.0)).is_good());
        }
    }

    #[test]
    fn prevented_work_must_be_unavailable_in_time() {
        let target = WorkTarget::RefusedWithin(Duration::from_secs(6));
        let refused = result(5, &[(Outcome::Unavailable, 5500)], target);
        assert_eq!(
            refused.to_string(),
            "5.0 → 5500.0 ms, longest 5.5 s of 6.0 s, 1 with 503"
        );
        assert!(refused.is_good());
        assert!(!result(5, &[(Outcome::Unavailable, 6500)], target).is_good());
        assert!(!result(5, &[(Outcome::Failure, 5500)], target).is_good());
    }

    #[test]
    fn the_growth_of_memory_is_judged() {
        let line = |memory| {
            let work = || result(5, &[(Outcome::Success, 5)], WorkTarget::MaxRatio(3.0));
            Line::new("SQLite", "an attack", [work(), work(), work(), work()], memory)
        };
        assert!(line(MEMORY_BUDGET + MEMORY_ALLOWANCE).is_good());
        let large = line(MEMORY_BUDGET + MEMORY_ALLOWANCE + 1);
        assert!(!large.is_good());
        assert!(large.to_string().ends_with(" +129 MiB **missed** |\n"), "{large}");
        let mut report = Report::default();
        report.add(large);
        assert!(
            report
                .verdict()
                .is_err_and(|error| error.to_string().contains("an attack"))
        );
    }
}
