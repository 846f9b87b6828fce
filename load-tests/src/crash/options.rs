//! Options of the crashes.

use std::path::PathBuf;

use crate::database::DatabaseKind;
use crate::failure::Failure;

const USAGE: &str = "\
usage: load-tests crash --backend PROGRAM [--kills N] [--database sqlite|postgres|both] [--seed N] \
     [--crash mixed|server|database|both] [--retries none|keyed]";

/// Settings of a run.
pub(crate) struct CrashOptions {
    /// The program `backend`.
    pub(crate) backend: PathBuf,
    pub(crate) databases: Vec<DatabaseKind>,
    /// Crashes on each database.
    pub(crate) kills: u64,
    /// Seed of the writes and of the times of the crashes.
    pub(crate) seed: u64,
    pub(crate) crashes: Crashes,
    pub(crate) retries: Retries,
}

/// Crashes of a run on PostgreSQL. On SQLite, which is part of the server, the server is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crashes {
    /// Mostly the server, in one round of eight the database, and in another both.
    Mixed,
    /// One kind in every round.
    Every(Crash),
}

/// Crash of one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crash {
    Server,
    Database,
    Both,
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
            crashes: Crashes::Mixed,
            retries: Retries::None,
        };
        for pair in arguments.chunks(2) {
            match *pair {
                ["--backend", program] => options.backend = PathBuf::from(program),
                ["--database", names] => options.databases = DatabaseKind::parse_all(names)?,
                ["--kills", count] => options.kills = count.parse()?,
                ["--seed", seed] => options.seed = seed.parse()?,
                ["--crash", "mixed"] => options.crashes = Crashes::Mixed,
                ["--crash", "server"] => options.crashes = Crashes::Every(Crash::Server),
                ["--crash", "database"] => options.crashes = Crashes::Every(Crash::Database),
                ["--crash", "both"] => options.crashes = Crashes::Every(Crash::Both),
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

impl Crashes {
    pub(crate) fn of_round(self, round: u64, kind: DatabaseKind) -> Crash {
        match (kind, self, round % 8) {
            (DatabaseKind::Postgres, Self::Every(crash), _) => crash,
            (DatabaseKind::Postgres, Self::Mixed, 2) => Crash::Database,
            (DatabaseKind::Postgres, Self::Mixed, 6) => Crash::Both,
            (DatabaseKind::Sqlite | DatabaseKind::Postgres, ..) => Crash::Server,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_has_the_chosen_crash_on_postgres() {
        for crash in [Crash::Server, Crash::Database, Crash::Both] {
            for round in 0..8 {
                let crashes = Crashes::Every(crash);
                assert_eq!(crashes.of_round(round, DatabaseKind::Postgres), crash);
                assert_eq!(crashes.of_round(round, DatabaseKind::Sqlite), Crash::Server);
            }
        }
    }

    #[test]
    fn a_mixed_run_crashes_the_database_in_two_rounds_of_eight() {
        let of = |kind| (0..8).map(move |round| Crashes::Mixed.of_round(round, kind));
        let databases = of(DatabaseKind::Postgres).filter(|crash| *crash != Crash::Server);
        assert_eq!(databases.collect::<Vec<_>>(), [Crash::Database, Crash::Both]);
        assert!(of(DatabaseKind::Sqlite).all(|crash| crash == Crash::Server));
    }
}
