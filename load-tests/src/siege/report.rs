//! The table of results.

use std::fmt;
use std::time::Duration;

use crate::database::DatabaseKind;
use crate::failure::Failure;
use crate::siege::attack::Attack;
use crate::siege::good_clients::{Measurement, Work};

/// Latencies below this count as this: on a few processors the attackers' own work delays the clients by as much.
const FLOOR: Duration = Duration::from_millis(10);

/// Results of all attacks.
#[derive(Default)]
pub(crate) struct Report(Vec<Line>);

/// Result of one attack.
pub(crate) struct Line {
    database: &'static str,
    attack: &'static str,
    works: Vec<WorkResult>,
    /// Growth of the server's memory in MiB.
    memory: u64,
}

struct WorkResult {
    before: Duration,
    during: Duration,
    failed: u64,
    /// Whether the attack makes the work impossible.
    is_prevented: bool,
    max_ratio: f64,
}

impl WorkResult {
    fn ratio(&self) -> f64 {
        self.during.max(FLOOR).as_secs_f64() / self.before.max(FLOOR).as_secs_f64()
    }

    fn is_good(&self) -> bool {
        self.is_prevented || self.ratio() <= self.max_ratio && self.failed == 0
    }
}

impl Line {
    pub(crate) fn new(
        kind: DatabaseKind,
        attack: &Attack,
        before: &Measurement,
        during: &Measurement,
        memory: u64,
        max_ratio: f64,
    ) -> Self {
        let prevented = (attack.prevents)(kind);
        let works = Work::ALL.map(|work| WorkResult {
            before: before.of(work).p99(),
            during: during.of(work).p99(),
            failed: during.of(work).failed(),
            is_prevented: prevented.contains(&work),
            max_ratio,
        });
        Self {
            database: kind.name(),
            attack: attack.name,
            works: works.into(),
            memory,
        }
    }
}

impl Line {
    /// Whether no target is missed.
    pub(crate) fn is_good(&self) -> bool {
        self.works.iter().all(WorkResult::is_good)
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
        Err(format!("too slow, or failed requests: {}", missed.join(", ")).into())
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
            let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
            let (before, during) = (milliseconds(result.before), milliseconds(result.during));
            let mark = if result.is_good() { "" } else { " **missed**" };
            write!(f, " {before:.1} → {during:.1} ms, {:.1}x", result.ratio())?;
            if result.failed > 0 {
                write!(f, ", {} failed", result.failed)?;
            }
            write!(f, "{mark} |")?;
        }
        writeln!(f, " +{} MiB |", self.memory)
    }
}
