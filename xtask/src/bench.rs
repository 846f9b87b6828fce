//! `cargo xtask bench`: backend beside axum and sqlx, and beside the same written by hand.

use std::path::Path;
use std::process::Command;

use crate::workspace::Outcome;

/// Builds `backend` and the benchmark, which are apart so that the tests need not compile sqlx, and runs it.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Outcome {
    let build = "build --release --package backend";
    cargo(root, build.split(' ').map(str::to_owned))?;
    let bench = "run --release --manifest-path bench/Cargo.toml --target-dir target/bench -- run";
    cargo(
        root,
        bench
            .split(' ')
            .map(str::to_owned)
            .chain(arguments.iter().cloned()),
    )
}

fn cargo(root: &Path, arguments: impl Iterator<Item = String>) -> Outcome {
    let status = Command::new("cargo").args(arguments).current_dir(root).status();
    match status.map_err(|error| format!("cannot start cargo: {error}"))? {
        status if status.success() => Ok(()),
        status => Err(format!("cargo ended with {status}")),
    }
}
