//! The table of results.

use std::fmt;
use std::time::Duration;

use crate::database::DatabaseKind;
use crate::failure::Failure;
use crate::soak::answers::{Answers, FaultWindow};
use crate::soak::samples::Trend;

/// Open files that an idle server may keep beyond those that it had before the load: its connections to the database.
pub(crate) const IDLE_FILES_ALLOWANCE: u64 = 20;
/// Failed requests that are shown.
const SHOWN: usize = 10;

/// Results on all databases.
#[derive(Default)]
pub(crate) struct SoakReport(Vec<SoakLine>);

/// Results on one database.
pub(crate) struct SoakLine {
    pub(crate) database: DatabaseKind,
    pub(crate) answers: Answers,
    pub(crate) windows: Vec<FaultWindow>,
    /// Memory in MiB.
    pub(crate) memory: Trend,
    pub(crate) files: Trend,
    /// Open files of the idle server, before and after the load.
    pub(crate) idle_files: (u64, u64),
}

impl SoakLine {
    fn violations(&self) -> Vec<String> {
        let mut all = Vec::new();
        let unexcused = self.answers.unexcused(&self.windows);
        for request in unexcused.iter().take(SHOWN) {
            all.push(format!("failed outside of the faults: {}", request.description));
        }
        for window in self.windows.iter().filter(|window| window.recovered.is_none()) {
            all.push(format!("no recovery: {}", window.fault));
        }
        if self.windows.is_empty() || self.answers.count(200..300) == 0 {
            all.push("nothing was tested, since the time was too short".to_owned());
        }
        if !self.memory.is_flat_memory() {
            all.push(format!("the memory grows: {:?} MiB", self.memory));
        }
        if !self.files.are_flat_files() {
            all.push(format!("the number of open files grows: {:?}", self.files));
        }
        let (before, after) = self.idle_files;
        if after > before + IDLE_FILES_ALLOWANCE {
            all.push(format!(
                "files stay open: {before} before the load, {after} after"
            ));
        }
        all
    }

    /// Prints the numbers of responses of each kind of work.
    pub(crate) fn print_works(&self) {
        for (work, counts) in &self.answers.works {
            let statuses = counts
                .statuses
                .iter()
                .map(|(status, count)| format!("{status}: {count}"));
            let statuses: Vec<String> = statuses.collect();
            eprintln!("{}, {work}: {}", self.database.name(), statuses.join(", "));
        }
    }
}

impl SoakReport {
    pub(crate) fn add(&mut self, line: SoakLine) {
        self.0.push(line);
    }

    /// Fails if a request failed outside of the faults, or if memory or open files grow.
    pub(crate) fn verdict(&self) -> Result<(), Failure> {
        let violation = |line: &SoakLine| {
            let name = line.database.name();
            line.violations()
                .into_iter()
                .map(move |violation| format!("{name}: {violation}"))
        };
        let violations: Vec<String> = self.0.iter().flat_map(violation).collect();
        if violations.is_empty() {
            return Ok(());
        }
        Err(violations.join("\n").into())
    }
}

impl fmt::Display for SoakReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| database | requests | refused (4xx) | faults | slowest recovery | failed during faults \
             | failed outside | memory, second to last quarter | open files | idle before and after |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|")?;
        self.0.iter().try_for_each(|line| line.fmt(f))
    }
}

impl fmt::Display for SoakLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outside = self.answers.unexcused(&self.windows).len();
        let slowest = self.windows.iter().filter_map(FaultWindow::recovery).max();
        writeln!(
            f,
            "| {} | {} | {} | {} | {:.1} s | {} | {outside} | {} → {} MiB | {} → {} | {} → {} |",
            self.database.name(),
            self.answers.count(0..600),
            self.answers.count(400..500),
            self.windows.len(),
            slowest.unwrap_or(Duration::ZERO).as_secs_f64(),
            self.answers.failed.len() - outside,
            self.memory.early,
            self.memory.late,
            self.files.early,
            self.files.late,
            self.idle_files.0,
            self.idle_files.1,
        )
    }
}
