//! Options of the siege.

use std::path::PathBuf;
use std::time::Duration;

use crate::database::DatabaseKind;
use crate::failure::Failure;

const USAGE: &str = "\
usage: load-tests siege --backend PROGRAM [--database sqlite|postgres|both] [--attack NAME]... [--seconds N]
                        [--articles N] [--comments N] [--slow-readers N] [--page MIB] [--max-ratio N] [--report FILE]";

/// Settings of a run.
pub(crate) struct SiegeOptions {
    /// The program `backend`.
    pub(crate) backend: PathBuf,
    pub(crate) databases: Vec<DatabaseKind>,
    /// Names of the attacks; all if empty.
    pub(crate) attacks: Vec<String>,
    /// Time of each measurement.
    pub(crate) time: Duration,
    pub(crate) articles: u64,
    pub(crate) comments: u64,
    /// Slow readers of long lists.
    pub(crate) slow_readers: u64,
    /// Size of the pages that nobody takes, in MiB: below the maximum of 32.
    pub(crate) page: u64,
    /// Maximum ratio of the 99th percentile during an attack to that before.
    pub(crate) max_ratio: f64,
    /// File for the table of results.
    pub(crate) report: Option<PathBuf>,
}

impl SiegeOptions {
    pub(crate) fn parse(arguments: &[&str]) -> Result<Self, Failure> {
        let mut options = Self {
            backend: PathBuf::new(),
            databases: DatabaseKind::ALL.to_vec(),
            attacks: Vec::new(),
            time: Duration::from_secs(10),
            articles: 100_000,
            comments: 1_000_000,
            slow_readers: 1000,
            page: 31,
            max_ratio: 3.0,
            report: None,
        };
        for pair in arguments.chunks(2) {
            match *pair {
                ["--backend", program] => options.backend = PathBuf::from(program),
                ["--database", names] => options.databases = DatabaseKind::parse_all(names)?,
                ["--attack", name] => options.attacks.push(name.to_owned()),
                ["--seconds", seconds] => options.time = Duration::from_secs(seconds.parse()?),
                ["--articles", count] => options.articles = count.parse()?,
                ["--comments", count] => options.comments = count.parse()?,
                ["--slow-readers", count] => options.slow_readers = count.parse()?,
                ["--page", size] => options.page = size.parse()?,
                ["--max-ratio", ratio] => options.max_ratio = ratio.parse()?,
                ["--report", file] => options.report = Some(PathBuf::from(file)),
                _ => return Err(format!("invalid argument {}\n{USAGE}", pair[0]).into()),
            }
        }
        if !options.backend.is_file() {
            return Err(format!("--backend must name the program\n{USAGE}").into());
        }
        Ok(options)
    }
}
