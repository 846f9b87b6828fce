//! The server of the tests and the benchmark.

use std::path::Path;
use std::process::Command;

use private_postgres::{Cluster, ClusterSettings, Programs};

use super::install::install;
use crate::workspace::{self, Outcome};

/// Environment variable with the URL of a server, also set for the tests.
const VARIABLE: &str = "TEST_POSTGRES_URL";

const REMEDY: &str = "\
install PostgreSQL (on Debian the package `postgresql`), or name a server whose user may create databases with
TEST_POSTGRES_URL=postgres://user@host/database, or leave PostgreSQL out with `cargo xtask test --sqlite-only`";

/// Databases that the tests run on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Databases {
    Both,
    SqliteOnly,
    PostgresOnly,
}

impl Databases {
    /// Takes the option `--database` from the beginning of arguments, and returns the others too. The default is both.
    pub(crate) fn take<'a>(arguments: &'a [&'a str]) -> Outcome<(Self, &'a [&'a str])> {
        let ["--database", rest @ ..] = arguments else {
            return Ok((Self::Both, arguments));
        };
        let databases = match rest.first() {
            Some(&"sqlite") => Self::SqliteOnly,
            Some(&"postgres") => Self::PostgresOnly,
            Some(&"both") => Self::Both,
            _ => return Err("--database is sqlite, postgres or both".to_owned()),
        };
        Ok((databases, &rest[1..]))
    }

    pub(crate) fn has_sqlite(self) -> bool {
        self != Self::PostgresOnly
    }

    pub(crate) fn has_postgres(self) -> bool {
        self != Self::SqliteOnly
    }
}

/// A server for the tests. Dropping it stops a private server.
pub(crate) struct TestServer {
    url: String,
    _private: Option<Cluster>,
}

impl TestServer {
    /// Returns the server in the environment, or starts a private one.
    pub(crate) fn provide(root: &Path, settings: &ClusterSettings) -> Outcome<Self> {
        if let Some(url) = configured_url(std::env::var(VARIABLE).ok()) {
            println!("using the server in {VARIABLE}");
            return Ok(Self { url, _private: None });
        }
        let programs = provide_programs()?;
        let cluster = Cluster::start(&root.join("target"), &programs, settings)
            .map_err(|message| format!("a private server cannot be started: {message};\n{REMEDY}"))?;
        println!("a private server at {}", cluster.url());
        Ok(Self {
            url: cluster.url().to_owned(),
            _private: Some(cluster),
        })
    }

    /// Returns the environment variable for the tests.
    pub(crate) fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.url)
    }

    /// Creates a database, calls a function with its URL and drops it.
    pub(crate) fn with_database(&self, name: &str, call: impl FnOnce(&str) -> Outcome) -> Outcome {
        self.run_sql(&format!("DROP DATABASE IF EXISTS {name}"))?;
        self.run_sql(&format!("CREATE DATABASE {name}"))?;
        let outcome = call(&of_database(&self.url, name));
        self.run_sql(&format!("DROP DATABASE {name}"))?;
        outcome
    }

    fn run_sql(&self, sql: &str) -> Outcome {
        let mut psql = Command::new("psql");
        psql.args(["--quiet", "--no-psqlrc", "--dbname", &self.url, "--command", sql]);
        workspace::call(&mut psql).map_err(|message| format!("{message};\n{REMEDY}"))
    }
}

/// Returns PostgreSQL's programs, and installs them if needed.
pub(crate) fn provide_programs() -> Outcome<Programs> {
    if let Some(programs) = Programs::find() {
        return Ok(programs);
    }
    println!("no PostgreSQL programs on this machine: installing them");
    install().map_err(|message| {
        format!("there are no PostgreSQL programs, and they cannot be installed: {message};\n{REMEDY}")
    })?;
    Programs::find().ok_or_else(|| format!("the installed package has no server;\n{REMEDY}"))
}

/// `cargo xtask postgres COMMAND`: runs a command with the environment of the tests on PostgreSQL.
pub(crate) fn run(root: &Path, command: &[&str]) -> Outcome {
    let [program, arguments @ ..] = command else {
        return Err("which command? for one, `cargo xtask postgres cargo test -p backend`".to_owned());
    };
    let server = TestServer::provide(root, &ClusterSettings::default())?;
    let status = Command::new(program)
        .args(arguments)
        .envs([server.variable(), ("TEST_DATABASE", "postgres")])
        .status()
        .map_err(|error| format!("cannot start `{program}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{program}` ended with {status}"))
    }
}

/// Replaces the database in a URL, and keeps its parameters.
fn of_database(url: &str, name: &str) -> String {
    let (place, parameters) = url
        .split_once('?')
        .map_or((url, None), |(place, rest)| (place, Some(rest)));
    let server = place.rsplit_once('/').map_or(place, |(server, _)| server);
    let parameters = parameters.map_or(String::new(), |rest| format!("?{rest}"));
    format!("{server}/{name}{parameters}")
}

/// Treats an empty variable as absent.
fn configured_url(variable: Option<String>) -> Option<String> {
    variable.filter(|url| !url.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_in_a_url_is_replaced() {
        let of = |url| of_database(url, "other");
        assert_eq!(
            of("postgres://ann@%2Ftmp%2Fa/test"),
            "postgres://ann@%2Ftmp%2Fa/other"
        );
        assert_eq!(
            of("postgres://ann@db/test?sslmode=require"),
            "postgres://ann@db/other?sslmode=require"
        );
    }

    #[test]
    fn the_databases_are_taken_from_the_beginning_of_arguments() {
        let take = |arguments| Databases::take(arguments);
        assert_eq!(
            take(&["--", "forms"]),
            Ok((Databases::Both, ["--", "forms"].as_slice()))
        );
        assert_eq!(
            take(&["--database", "postgres", "--", "forms"]),
            Ok((Databases::PostgresOnly, ["--", "forms"].as_slice()))
        );
        assert_eq!(
            take(&["--database", "sqlite"]),
            Ok((Databases::SqliteOnly, [].as_slice()))
        );
        assert!(take(&["--database"]).is_err());
        assert!(take(&["--database", "mysql"]).is_err());
    }

    #[test]
    fn an_empty_variable_is_treated_as_absent() {
        assert_eq!(configured_url(None), None);
        assert_eq!(configured_url(Some(" ".to_owned())), None);
        let url = "postgres://ann@db/test".to_owned();
        assert_eq!(configured_url(Some(url.clone())), Some(url));
    }
}
