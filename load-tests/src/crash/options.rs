//! Options of the crashes.

use std::path::PathBuf;

use crate::database::DatabaseKind;
use crate::failure::Failure;

const USAGE: &str = "\
usage: load-tests crash --backend PROGRAM [--kills N] [--database sqlite|postgres|both] [--seed N] \
     [--retries none|keyed]";

/// Settings of a run.
pub(crate) struct CrashOptions {
    /// The program `backend`.
    pub(crate) backend: PathBuf,
    pub(crate) databases: Vec<DatabaseKind>,
    /// Crashes on each database.
    pub(crate) kills: u64,
    /// Seed of the writes and of the times of the crashes.
    pub(crate) seed: u64,
    pub(crate) retries: Retries,
}

/// Writes without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retries {
    /// They are not repeated.
    None,
    /// Each write has an `Idempotency-Key`, and is repeated until it has an answer.
    Keyed,
}

impl CrashOptions {
    pub(crate) fn parse(arguments: &[&str]) -> Result<Self, Failure> {
        let mut options = Self {
            backend: PathBuf::new(),
            databases: DatabaseKind::ALL.to_vec(),
            kills: 100,
            seed: rand::random(),
            retries: Retries::None,
        };
        for pair in arguments.chunks(2) {
            match *pair {
                ["--backend", program] => options.backend = PathBuf::from(program),
                ["--database", names] => options.databases = DatabaseKind::parse_all(names)?,
                ["--kills", count] => options.kills = count.parse()?,
                ["--seed", seed] => options.seed = seed.parse()?,
                ["--retries", "none"] => options.retries = Retries::None,
                ["--retries", "keyed"] => options.retries = Retries::Keyed,
                _ => return Err(format!("invalid argument {}\n{USAGE}", pair[0]).into()),
            }
        }
        if !options.backend.is_file() {
            return Err(format!("--backend must name the program\n{USAGE}").into());
        }
        Ok(options)
    }
}
