//! `cargo xtask siege`, `crash` and `soak`: backend under attacks, under crashes, and under long load with faults.

use std::path::Path;
use std::process::Command;

use crate::postgres::{self, Databases};
use crate::workspace::{self, Outcome};

/// Builds the programs with optimizations and runs a trial, with these arguments.
pub(crate) fn run(root: &Path, trial: &str, arguments: &[&str]) -> Outcome {
    postgres::provide_programs()?;
    let packages = ["--package", "backend", "--package", "load-tests"];
    workspace::call(workspace::cargo(root).args(["build", "--release"]).args(packages))?;
    call(&root.join("target/release"), trial, arguments)
}

/// Runs each attack for a moment on few rows. Without optimizations latencies mean little, so that a request only must
/// not fail or wait for more than four seconds: the lists of anonymous clients share connections with those of the attackers.
pub(crate) fn short_siege(root: &Path, databases: Databases) -> Outcome {
    let rows = ["--articles", "2000", "--comments", "10000"];
    let sizes = ["--slow-readers", "50", "--page", "4"];
    let arguments = [&["--seconds", "2", "--max-ratio", "400"], &rows[..], &sizes].concat();
    run_unoptimized(root, "siege", databases, &arguments)
}

/// Runs a few crashes on each database, without and with retries of the writes that have no answer.
pub(crate) fn short_crash(root: &Path, databases: Databases) -> Outcome {
    run_unoptimized(root, "crash", databases, &["--kills", "3", "--seed", "1"])?;
    let keyed = ["--kills", "3", "--seed", "2", "--retries", "keyed"];
    run_unoptimized(root, "crash", databases, &keyed)
}

/// Runs the load for half a minute on each database.
pub(crate) fn short_soak(root: &Path, databases: Databases) -> Outcome {
    run_unoptimized(root, "soak", databases, &["--minutes", "0.5", "--seed", "1"])
}

/// Runs a trial without optimizations.
fn run_unoptimized(root: &Path, trial: &str, databases: Databases, arguments: &[&str]) -> Outcome {
    let programs = workspace::compile_programs(root, &["backend", "load-tests"])?;
    let database = match (databases.has_sqlite(), databases.has_postgres()) {
        (true, false) => "sqlite",
        (false, true) => "postgres",
        (true, true) | (false, false) => "both",
    };
    let arguments = [&["--database", database], arguments].concat();
    call(&programs, trial, &arguments)
}

fn call(programs: &Path, trial: &str, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(programs.join("load-tests"));
    command.arg(trial).arg("--backend").arg(programs.join("backend"));
    workspace::call(command.args(arguments))
}
