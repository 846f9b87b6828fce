//! `cargo xtask bench`: compares backend with axum and sqlx, and with a hand-written server.

use std::path::{Path, PathBuf};
use std::process::Command;

use private_postgres::ClusterSettings;

use crate::postgres::TestServer;
use crate::workspace::{self, Outcome};

/// Arguments that select the separate workspace `bench`, so that the tests need not compile sqlx.
const MANIFEST: [&str; 4] = [
    "--manifest-path",
    "bench/Cargo.toml",
    "--target-dir",
    "target/bench",
];

/// Builds `backend` and the benchmark and runs it, with a PostgreSQL server unless excluded. `--pure` runs only the
/// benchmarks that need neither server nor database. `--baseline COMMIT` also builds the server of that commit and
/// measures both.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Outcome {
    if let ["--pure", rest @ ..] = arguments {
        return cargo(
            root,
            &[&["bench"], &MANIFEST[..], &["--bench", "pure", "--"], rest],
        );
    }
    let (arguments, baseline) = baseline(root, arguments)?;
    let arguments = arguments.as_slice();
    cargo(root, &[&["build", "--release", "--package", "backend"]])?;
    cargo(root, &[&["build", "--release", "--bins"], &MANIFEST[..]])?;
    // The server is stopped when this value is dropped, however the benchmark ends.
    let server = needs_postgres(arguments)
        .then(|| TestServer::provide(root, &ClusterSettings::durable()))
        .transpose()?;
    let mut bench = Command::new(root.join("target/bench/release/bench"));
    bench.arg("run").args(arguments).current_dir(root);
    bench.args(
        baseline
            .iter()
            .flat_map(|program| [Path::new("--baseline"), program]),
    );
    bench.envs(server.iter().map(TestServer::variable));
    finished("bench", &mut bench)
}

/// Removes `--baseline COMMIT` from the arguments and builds the server of that commit, in a worktree below `target`.
fn baseline<'a>(root: &Path, arguments: &[&'a str]) -> Outcome<(Vec<&'a str>, Option<PathBuf>)> {
    let mut others = arguments.to_vec();
    let Some(at) = others.iter().position(|argument| *argument == "--baseline") else {
        return Ok((others, None));
    };
    let commit = *others
        .get(at + 1)
        .ok_or("--baseline needs a commit, such as HEAD~1")?;
    others.drain(at..at + 2);
    let tree = root.join("target/baseline/tree");
    let mut add = Command::new("git");
    add.current_dir(root)
        .args(["worktree", "add", "--force", "--detach"]);
    if tree.exists() {
        let mut checkout = Command::new("git");
        checkout.current_dir(&tree).args(["checkout", "--detach", commit]);
        finished("git checkout", &mut checkout)?;
    } else {
        finished("git worktree add", add.arg(&tree).arg(commit))?;
    }
    let target = root.join("target/baseline");
    let mut build = workspace::cargo(&tree);
    build.args([
        "build",
        "--release",
        "--bin",
        "open",
        "--manifest-path",
        "bench/Cargo.toml",
    ]);
    finished("cargo", build.arg("--target-dir").arg(&target))?;
    Ok((others, Some(target.join("release/open"))))
}

/// Whether the benchmark measures PostgreSQL and no server was specified.
fn needs_postgres(arguments: &[&str]) -> bool {
    let is_any = |words: &[&str]| arguments.iter().any(|argument| words.contains(argument));
    let is_pair = |pair: &[&str]| pair == ["--database", "sqlite"];
    let is_without = is_any(&["--help", "-h", "--database=sqlite"]) || arguments.windows(2).any(is_pair);
    let is_named = arguments
        .iter()
        .any(|argument| argument.starts_with("--postgres"));
    !is_without && !is_named
}

fn cargo(root: &Path, arguments: &[&[&str]]) -> Outcome {
    finished("cargo", workspace::cargo(root).args(arguments.concat()))
}

fn finished(name: &str, command: &mut Command) -> Outcome {
    let status = command.status();
    match status.map_err(|error| format!("cannot start {name}: {error}"))? {
        status if status.success() => Ok(()),
        status => Err(format!("{name} ended with {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_provided_unless_it_is_excluded_or_specified() {
        for arguments in [
            &[][..],
            &["--quick"],
            &["--database", "postgres"],
            &["--database", "both"],
        ] {
            assert!(needs_postgres(arguments), "{arguments:?}");
        }
        for arguments in [
            &["--help"][..],
            &["--quick", "--database", "sqlite"],
            &["--database=sqlite"],
            &["--postgres", "postgres://ann@db/bench"],
            &["--postgres=postgres://ann@db/bench"],
        ] {
            assert!(!needs_postgres(arguments), "{arguments:?}");
        }
    }
}
