//! Command line options: the parts to measure, and for how long.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::request::CLIENTS;
use super::round::Rounds;
use crate::outcome::{Database, Server, Work};

#[derive(Args)]
pub(crate) struct Options {
    /// Short rounds: everything within two minutes
    #[arg(long)]
    pub(super) quick: bool,
    /// Also writes the rows to this file
    #[arg(long)]
    pub(super) json: Option<PathBuf>,
    /// The database to measure on
    #[arg(long, default_value = "both", value_parser = ["sqlite", "postgres", "both"])]
    database: String,
    /// The parts to measure, separated by commas; all by default
    #[arg(long, value_delimiter = ',')]
    part: Vec<Part>,
    /// Accounts and policies, beside the same without them; same as `--part secured`
    #[arg(long, conflicts_with = "part")]
    secured: bool,
    /// The workloads to measure, separated by commas; all by default
    #[arg(long, value_delimiter = ',')]
    work: Vec<Work>,
    /// The servers to measure, separated by commas; all by default
    #[arg(long, value_delimiter = ',')]
    server: Vec<Server>,
    /// The PostgreSQL server on which databases are created and dropped
    #[arg(long, env = "TEST_POSTGRES_URL")]
    pub(super) postgres: Option<String>,
    /// The folder of the report
    #[arg(long, default_value = "docs/internals/benchmarks")]
    pub(super) output: PathBuf,
    /// The folder for the databases
    #[arg(long, default_value = "target/bench/data")]
    pub(super) data: PathBuf,
    /// The program of the reference application
    #[arg(long, default_value = "target/release/backend")]
    pub(super) backend: PathBuf,
    /// The program `open` of another commit, to compare with this one exclusively
    #[arg(long)]
    pub(super) baseline: Option<PathBuf>,
}

/// A part of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Part {
    /// Comparison of the three servers
    Articles,
    /// Lists of growing tables
    Growth,
    /// Pages of a long table
    Pages,
    /// HTML pages, beside the JSON they show
    Html,
    /// Accounts and policies, beside the same without them
    Secured,
    /// Writes with an `Idempotency-Key`, beside the same without one
    Keyed,
    /// Lines written with their invoice, beside lines written one by one
    Nested,
    /// 200 models instead of one, and the OpenAPI document of 500
    Models,
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
        match self.baseline {
            Some(_) => vec![Server::Backend, Server::Baseline],
            None => chosen(&self.server, &Server::ALL),
        }
    }

    pub(super) fn is_to_measure(&self, part: Part) -> bool {
        if self.secured {
            return part == Part::Secured;
        }
        match self.baseline {
            // Includes pages, so that the filtered page is measured too.
            Some(_) if self.part.is_empty() => matches!(part, Part::Articles | Part::Pages),
            _ => self.part.is_empty() || self.part.contains(&part),
        }
    }

    /// Whether everything is measured, so that a report can be written.
    pub(super) fn is_whole(&self) -> bool {
        self.part.is_empty()
            && !self.secured
            && self.baseline.is_none()
            && self.works().len() == Work::ALL.len()
            && self.servers().len() == Server::ALL.len()
    }

    pub(super) fn rounds(&self) -> Rounds {
        if self.quick {
            Rounds {
                count: 3,
                time: Duration::from_millis(350),
                clients: CLIENTS,
            }
        } else {
            Rounds {
                count: 15,
                time: Duration::from_secs(1),
                clients: CLIENTS,
            }
        }
    }

    /// Returns the lengths of the tables whose lists are measured.
    pub(super) fn sizes(&self) -> &'static [u64] {
        if self.quick {
            &[1_000, 10_000, 100_000]
        } else {
            &[1_000, 10_000, 100_000, 1_000_000]
        }
    }

    /// Returns the length of the table whose pages are measured.
    pub(super) fn longest(&self) -> u64 {
        self.sizes().iter().copied().max().unwrap_or_default()
    }

    /// Rounds in which one client requests one page. They can be short, since nothing else runs.
    pub(super) fn page_rounds(&self) -> Rounds {
        Rounds {
            time: self.rounds().time / 3,
            ..self.rounds()
        }
    }

    /// Number of starts of a server with many models.
    pub(super) fn starts(&self) -> usize {
        if self.quick { 3 } else { 11 }
    }

    /// Returns the command that repeats the measurement.
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
