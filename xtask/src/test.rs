//! `cargo xtask test`: runs every check in order, up to the first failure or to the end.

use std::path::Path;
use std::time::{Duration, Instant};

use private_postgres::ClusterSettings;

use crate::postgres::{Databases, TestServer};
use crate::workspace::{self, Outcome};
use crate::{
    browser, commands, conformance, features, layers, links, new_application, pooler, proxies, sizes, spec,
    trials, words,
};

enum Step {
    /// Starts the server for the following steps.
    Postgres,
    /// Runs `cargo` with these arguments.
    Cargo(&'static str),
    /// Runs `cargo` with these arguments, with the tests on the PostgreSQL server.
    CargoOnPostgres(&'static str),
    /// Runs another command of this program.
    Ours(fn(&Path) -> Outcome),
    /// Runs another command of this program, which tests with these databases.
    OursOn(fn(&Path, Databases) -> Outcome),
    /// Runs another command of this program, which tests with PostgreSQL.
    OursOnPostgres(fn(&Path) -> Outcome),
}

/// The selections of packages have the same features, so that each crate is compiled once: see
/// [`workspace::COMMON_FEATURES`].
const STEPS: [(&str, Step); 40] = [
    ("formatting", Step::Cargo("fmt --all --check")),
    (
        "formatting of the benchmark",
        Step::Cargo("fmt --manifest-path bench/Cargo.toml --check"),
    ),
    (
        "clippy",
        Step::Cargo("clippy --workspace --all-targets -- -D warnings"),
    ),
    (
        "clippy with SQLite alone",
        Step::Cargo(
            "clippy -p model-resource-store -p model-resource -p model-resource-security --no-default-features --features sqlite,model-resource/chrono -- -D warnings",
        ),
    ),
    (
        "clippy with PostgreSQL alone",
        Step::Cargo(
            "clippy -p model-resource-store -p model-resource -p model-resource-security --no-default-features --features postgres,model-resource/time -- -D warnings",
        ),
    ),
    (
        "clippy with PostgreSQL over TLS and the server",
        Step::Cargo(
            "clippy -p model-resource-store -p model-resource -p model-resource-security --no-default-features --features tls,model-resource/server -- -D warnings",
        ),
    ),
    (
        "clippy of migrations for one of two databases",
        Step::Cargo(
            "clippy -p model-resource-migrations --no-default-features --features \
             sqlite,model-resource-store/postgres -- -D warnings",
        ),
    ),
    (
        "clippy of the testing kit alone",
        Step::Cargo("clippy -p model-resource-testing -- -D warnings"),
    ),
    (
        "clippy of the program model-resource alone",
        Step::Cargo("clippy -p model-resource-cli --all-targets -- -D warnings"),
    ),
    (
        "clippy of the command line with SQLite alone",
        Step::Cargo("clippy -p model-resource-cli --features sqlite --all-targets -- -D warnings"),
    ),
    (
        "clippy of the command line with PostgreSQL alone",
        Step::Cargo("clippy -p model-resource-cli --features postgres,accounts --all-targets -- -D warnings"),
    ),
    ("layers", Step::Ours(layers::run)),
    ("sizes", Step::Ours(sizes::run)),
    ("spec", Step::Ours(spec::run)),
    ("links", Step::Ours(links::run)),
    ("words", Step::Ours(|root| words::run(root, &[]))),
    ("PostgreSQL server", Step::Postgres),
    (
        "tests and doc tests",
        Step::Cargo("test --workspace --exclude browser-tests"),
    ),
    (
        "tests of the framework, the application and the examples on PostgreSQL",
        Step::CargoOnPostgres(
            "test --workspace --exclude browser-tests --test resources --test serializers --test urls --test lists --test access --test http_protocol --test custom_users --test account_routes --test kit --test spec --test attacks --test security --test examples --test blog --test transcript --test library --test soft_delete",
        ),
    ),
    (
        "one application with SQLite and each optional feature alone",
        Step::Ours(features::run),
    ),
    (
        "one application with PostgreSQL alone",
        Step::CargoOnPostgres(
            "test -p model-resource --no-default-features --features postgres --test features",
        ),
    ),
    (
        "one application with PostgreSQL over TLS",
        Step::CargoOnPostgres("test -p model-resource --no-default-features --features tls --test features"),
    ),
    (
        "the program model-resource alone",
        Step::Cargo("test -p model-resource-cli"),
    ),
    (
        "one command line with SQLite alone",
        Step::Cargo("test -p model-resource-cli --features sqlite --test databases"),
    ),
    (
        "one command line with PostgreSQL alone",
        Step::CargoOnPostgres("test -p model-resource-cli --features postgres,accounts --test databases"),
    ),
    // Programs by themselves, which other tests run, so that they cannot be tests of the first step.
    (
        "tests in examples",
        Step::Cargo("test --workspace --exclude browser-tests --examples"),
    ),
    ("documentation", Step::Cargo("doc --workspace --no-deps")),
    (
        "commands of the pages",
        Step::Ours(|root| commands::run(root, &[])),
    ),
    ("new application", Step::Ours(new_application::run)),
    (
        "conformance with ra-data-simple-rest",
        Step::Ours(conformance::simple_rest),
    ),
    (
        "conformance with openapi-typescript",
        Step::Ours(conformance::openapi_typescript),
    ),
    (
        "conformance with schemathesis",
        Step::OursOn(conformance::schemathesis),
    ),
    (
        "examples in Django REST framework",
        Step::OursOn(conformance::django),
    ),
    (
        "rolling restarts behind HAProxy and nginx",
        Step::OursOnPostgres(proxies::run),
    ),
    ("requests behind PgBouncer", Step::OursOnPostgres(pooler::run)),
    (
        "attacks beside ordinary requests",
        Step::OursOn(trials::short_siege),
    ),
    (
        "crashes under concurrent writes",
        Step::OursOn(trials::short_crash),
    ),
    (
        "load with faults of the database",
        Step::OursOn(trials::short_soak),
    ),
    (
        "pages in Chromium",
        Step::Ours(|root| browser::run(root, Databases::SqliteOnly, &[])),
    ),
    (
        "forms in Chromium on PostgreSQL",
        Step::OursOnPostgres(browser::writes_on_postgres),
    ),
];

/// Reaction to a step that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterFailure {
    Stop,
    Continue,
}

/// Runs the command with its options.
pub(crate) fn run_with(root: &Path, words: &[&str]) -> Outcome {
    let (databases, after_failure) = options(words)?;
    run(root, databases, after_failure)
}

fn options(words: &[&str]) -> Outcome<(Databases, AfterFailure)> {
    let (mut databases, mut after_failure) = (Databases::Both, AfterFailure::Stop);
    for word in words {
        match *word {
            "--sqlite-only" => databases = Databases::SqliteOnly,
            "--keep-going" => after_failure = AfterFailure::Continue,
            _ => return Err(format!("{word:?} is neither --sqlite-only nor --keep-going")),
        }
    }
    Ok((databases, after_failure))
}

/// Runs every step and prints its duration.
fn run(root: &Path, databases: Databases, after_failure: AfterFailure) -> Outcome {
    let start = Instant::now();
    let steps: Vec<&(&str, Step)> = STEPS.iter().filter(|(_, step)| step.is_for(databases)).collect();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    // The server is stopped when this value is dropped, however the steps end.
    let mut server: Option<TestServer> = None;
    for (number, (name, step)) in steps.iter().enumerate() {
        println!("\n== {} of {}: {name}", number + 1, steps.len());
        let begin = Instant::now();
        let outcome = step.run(root, databases, after_failure, &mut server);
        times.push((name, begin.elapsed()));
        if let Err(message) = outcome {
            let failure = format!("step \"{name}\" failed: {message}");
            println!("{failure}");
            failures.push(failure);
            if after_failure == AfterFailure::Stop {
                break;
            }
        }
    }
    print_times(&times);
    if !failures.is_empty() {
        return Err(failures.join("\n"));
    }
    println!(
        "all {} steps passed in {:.0} s",
        steps.len(),
        start.elapsed().as_secs_f64()
    );
    if !databases.has_postgres() {
        println!("nothing was tested on PostgreSQL, because of --sqlite-only");
    }
    Ok(())
}

impl Step {
    fn is_for(&self, databases: Databases) -> bool {
        match self {
            Self::Postgres | Self::CargoOnPostgres(_) | Self::OursOnPostgres(_) => databases.has_postgres(),
            Self::Cargo(_) | Self::Ours(_) | Self::OursOn(_) => true,
        }
    }

    fn run(
        &self,
        root: &Path,
        databases: Databases,
        after_failure: AfterFailure,
        server: &mut Option<TestServer>,
    ) -> Outcome {
        let mut variables: Vec<(&str, &str)> = server.iter().map(TestServer::variable).collect();
        if !databases.has_postgres() {
            variables.push(("TEST_SQLITE_ONLY", "1"));
        }
        match self {
            Self::Postgres => {
                *server = Some(TestServer::provide(root, &ClusterSettings::default())?);
                Ok(())
            }
            Self::Cargo(arguments) => cargo(root, arguments, after_failure, &variables),
            Self::CargoOnPostgres(arguments) => {
                variables.push(("TEST_DATABASE", "postgres"));
                cargo(root, arguments, after_failure, &variables)
            }
            Self::Ours(command) | Self::OursOnPostgres(command) => command(root),
            Self::OursOn(command) => command(root, databases),
        }
    }
}

/// Runs `cargo` with no test variables other than these. Tests after one that has failed run if further steps do.
fn cargo(root: &Path, arguments: &str, after_failure: AfterFailure, variables: &[(&str, &str)]) -> Outcome {
    println!("$ cargo {arguments}");
    let mut command = workspace::cargo(root);
    command.args(arguments.split_whitespace());
    if arguments.starts_with("test ") && after_failure == AfterFailure::Continue {
        command.arg("--no-fail-fast");
    }
    for variable in [
        "TEST_DATABASE",
        "TEST_POOLER_URL",
        "TEST_POSTGRES_URL",
        "TEST_SQLITE_ONLY",
    ] {
        command.env_remove(variable);
    }
    command.envs(variables.iter().copied());
    if arguments.starts_with("doc ") {
        command.env("RUSTDOCFLAGS", "-D warnings");
    }
    let status = command
        .status()
        .map_err(|error| format!("cannot start `cargo {arguments}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`cargo {arguments}` ended with {status}"))
    }
}

fn print_times(times: &[(&str, Duration)]) {
    println!();
    for (name, time) in times {
        println!("{:>7.1} s  {name}", time.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_others_rejected() {
        let (databases, after_failure) = options(&["--keep-going", "--sqlite-only"]).unwrap();
        assert!(!databases.has_postgres());
        assert_eq!(after_failure, AfterFailure::Continue);
        assert_eq!(options(&[]).unwrap().1, AfterFailure::Stop);
        assert!(options(&["--sqlite"]).is_err());
    }

    #[test]
    fn without_postgresql_the_steps_on_it_are_left_out_and_no_others() {
        let left = STEPS
            .iter()
            .filter(|(_, step)| step.is_for(Databases::SqliteOnly));
        let left: Vec<&str> = left.map(|(name, _)| *name).collect();
        assert_eq!(left.len(), STEPS.len() - 8);
        assert!(left.contains(&"tests and doc tests"));
        assert!(STEPS.iter().all(|(_, step)| step.is_for(Databases::Both)));
    }
}
