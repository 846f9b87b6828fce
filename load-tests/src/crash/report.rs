//! The table of results.

use std::fmt;

use crate::crash::comparison::Findings;
use crate::database::DatabaseKind;
use crate::failure::Failure;

/// Results on all databases.
#[derive(Default)]
pub(crate) struct CrashReport(Vec<CrashLine>);

/// Results on one database.
pub(crate) struct CrashLine {
    pub(crate) database: DatabaseKind,
    /// Kills of the server, and crashes of the database.
    pub(crate) kills: u64,
    pub(crate) database_crashes: u64,
    pub(crate) findings: Findings,
    /// Answers that no write should have.
    pub(crate) unexpected: Vec<String>,
}

impl CrashLine {
    pub(crate) fn new(database: DatabaseKind) -> Self {
        Self {
            database,
            kills: 0,
            database_crashes: 0,
            findings: Findings::default(),
            unexpected: Vec::new(),
        }
    }

    fn is_good(&self) -> bool {
        self.findings.violations() == 0 && self.unexpected.is_empty() && self.findings.acknowledged > 0
    }
}

impl CrashReport {
    pub(crate) fn add(&mut self, line: CrashLine) {
        self.0.push(line);
    }

    /// Fails if a number of the table is not what it must be.
    pub(crate) fn verdict(&self) -> Result<(), Failure> {
        if self.0.iter().all(CrashLine::is_good) {
            return Ok(());
        }
        let details = self
            .0
            .iter()
            .flat_map(|line| line.findings.details.iter().chain(&line.unexpected));
        let shown: Vec<&str> = details.take(20).map(String::as_str).collect();
        Err(format!("the writes are not stored as acknowledged\n{}", shown.join("\n")).into())
    }
}

impl fmt::Display for CrashReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| database | kills of the server | crashes of the database | acknowledged | refused | without answer \
             | of these stored | lost | doubled | phantom | torn | unexpected answers |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|---|---|")?;
        self.0.iter().try_for_each(|line| line.fmt(f))
    }
}

impl fmt::Display for CrashLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = &self.findings;
        let numbers = [
            self.kills,
            self.database_crashes,
            found.acknowledged,
            found.refused,
            found.unknown,
            found.unknown_stored,
            found.lost,
            found.doubled,
            found.phantom,
            found.torn,
            self.unexpected.len() as u64,
        ];
        let numbers = numbers.map(|number| number.to_string());
        writeln!(f, "| {} | {} |", self.database.name(), numbers.join(" | "))
    }
}
