//! `cargo xtask siege`: runs well-behaved clients against backend while attacks run.

use std::path::Path;
use std::process::Command;

use crate::postgres;
use crate::workspace::{self, Outcome};

/// Builds the programs with optimizations and runs the attacks, with these arguments.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Outcome {
    postgres::provide_programs()?;
    let mut build = workspace::cargo(root);
    build.args([
        "build",
        "--release",
        "--package",
        "backend",
        "--package",
        "load-tests",
    ]);
    workspace::call(&mut build)?;
    let programs = root.join("target/release");
    let mut siege = Command::new(programs.join("load-tests"));
    siege.arg("siege").arg("--backend").arg(programs.join("backend"));
    workspace::call(siege.args(arguments).current_dir(root))
}
