//! Options of the crashes.

use std::path::PathBuf;

use crate::database::DatabaseKind;
use crate::failure::Failure;

const USAGE: &str = "\
usage: load-tests crash --backend PROGRAM [--kills N] [--database sqlite|postgres|both] [--seed N]";

/// Settings of a run.
pub(crate) struct CrashOptions {
    /// The program `backend`.
    pub(crate) backend: PathBuf,
    pub(crate) databases: Vec<DatabaseKind>,
    /// Crashes on each database.
    pub(crate) kills: u64,
    /// Seed of the writes and of the times of the crashes.
    pub(crate) seed: u64,
}

impl CrashOptions {
    pub(crate) fn parse(arguments: &[&str]) -> Result<Self, Failure> {
        let mut options = Self {
            backend: PathBuf::new(),
            databases: DatabaseKind::ALL.to_vec(),
            kills: 100,
            seed: rand::random(),
        };
        for pair in arguments.chunks(2) {
            match *pair {
                ["--backend", program] => options.backend = PathBuf::from(program),
                ["--database", names] => options.databases = DatabaseKind::parse_all(names)?,
                ["--kills", count] => options.kills = count.parse()?,
                ["--seed", seed] => options.seed = seed.parse()?,
                _ => return Err(format!("invalid argument {}\n{USAGE}", pair[0]).into()),
            }
        }
        if !options.backend.is_file() {
            return Err(format!("--backend must name the program\n{USAGE}").into());
        }
        Ok(options)
    }
}
