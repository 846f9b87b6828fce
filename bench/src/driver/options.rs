//! What to measure, and how long.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::outcome::{Database, Server, Work};

#[derive(Args)]
pub(crate) struct Options {
    /// Short rounds: everything within two minutes
    #[arg(long)]
    quick: bool,
    /// Also writes the rows to this file
    #[arg(long)]
    pub(super) json: Option<PathBuf>,
    /// The database to measure on
    #[arg(long, default_value = "both", value_parser = ["sqlite", "postgres", "both"])]
    database: String,
    /// The kinds of work to measure, with commas between them; all without it
    #[arg(long, value_delimiter = ',')]
    work: Vec<Work>,
    /// The servers to measure, with commas between them; all without it
    #[arg(long, value_delimiter = ',')]
    server: Vec<Server>,
    /// The PostgreSQL server, where databases are made and removed
    #[arg(long, env = "TEST_POSTGRES_URL")]
    pub(super) postgres: Option<String>,
    /// Where the report goes
    #[arg(long, default_value = "docs/benchmarks")]
    pub(super) output: PathBuf,
    /// The folder for the databases
    #[arg(long, default_value = "target/bench/data")]
    pub(super) data: PathBuf,
    /// The program of the reference application
    #[arg(long, default_value = "target/release/backend")]
    pub(super) backend: PathBuf,
}

impl Options {
    pub(super) fn databases(&self) -> Vec<Database> {
        match self.database.as_str() {
            "sqlite" => vec![Database::Sqlite],
            "postgres" => vec![Database::Postgres],
            _ => Database::ALL.to_vec(),
        }
    }

    pub(super) fn works(&self) -> Vec<Work> {
        chosen(&self.work, &Work::ALL)
    }

    pub(super) fn servers(&self) -> Vec<Server> {
        chosen(&self.server, &Server::ALL)
    }

    /// Whether all there is to measure on a database was measured.
    pub(super) fn is_whole(&self) -> bool {
        self.works().len() == Work::ALL.len() && self.servers().len() == Server::ALL.len()
    }

    pub(super) fn rounds(&self) -> usize {
        if self.quick { 3 } else { 5 }
    }

    /// The time of a round.
    pub(super) fn time(&self) -> Duration {
        Duration::from_millis(if self.quick { 600 } else { 2000 })
    }

    /// The time before the first round, which is not measured.
    pub(super) fn warm_up(&self) -> Duration {
        self.time() / 4
    }

    /// The command that measures the same.
    pub(super) fn command(&self) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        let database = if self.database == "both" {
            String::new()
        } else {
            format!(" --database {}", self.database)
        };
        format!("cargo xtask bench{quick}{database}")
    }
}

fn chosen<T: Copy + PartialEq>(chosen: &[T], all: &[T]) -> Vec<T> {
    let is_chosen = |one: &&T| chosen.is_empty() || chosen.contains(one);
    all.iter().filter(is_chosen).copied().collect()
}
