//! Options of the soak.

use std::path::PathBuf;
use std::time::Duration;

use crate::database::DatabaseKind;
use crate::failure::Failure;

const USAGE: &str = "\
usage: load-tests soak --backend PROGRAM [--minutes N] [--database sqlite|postgres|both] [--seed N]";

/// Settings of a run.
pub(crate) struct SoakOptions {
    /// The program `backend`.
    pub(crate) backend: PathBuf,
    pub(crate) databases: Vec<DatabaseKind>,
    /// Time of the load on each database.
    pub(crate) time: Duration,
    /// Seed of the times and the order of the faults.
    pub(crate) seed: u64,
}

impl SoakOptions {
    pub(crate) fn parse(arguments: &[&str]) -> Result<Self, Failure> {
        let mut options = Self {
            backend: PathBuf::new(),
            databases: DatabaseKind::ALL.to_vec(),
            time: Duration::from_secs(600),
            seed: rand::random(),
        };
        for pair in arguments.chunks(2) {
            match *pair {
                ["--backend", program] => options.backend = PathBuf::from(program),
                ["--database", names] => options.databases = DatabaseKind::parse_all(names)?,
                ["--minutes", minutes] => {
                    options.time = Duration::try_from_secs_f64(minutes.parse::<f64>()? * 60.0)?;
                }
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
