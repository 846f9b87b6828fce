//! `cargo xtask test`: everything that must pass, in order, up to the first failure.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::workspace::Outcome;
use crate::{layers, readme, spec};

enum Step {
    /// The arguments of a `cargo` command.
    Cargo(&'static str),
    /// Another command of this program.
    Ours(fn(&Path) -> Outcome),
}

const STEPS: [(&str, Step); 8] = [
    ("formatting", Step::Cargo("fmt --all --check")),
    (
        "clippy",
        Step::Cargo("clippy --workspace --all-targets -- -D warnings"),
    ),
    ("layers", Step::Ours(layers::run)),
    ("spec", Step::Ours(spec::run)),
    ("tests and doc tests", Step::Cargo("test --workspace")),
    ("tests in examples", Step::Cargo("test --workspace --examples")),
    ("documentation", Step::Cargo("doc --workspace --no-deps")),
    ("readme", Step::Ours(readme::run)),
];

/// Runs every step and prints how long each took.
pub(crate) fn run(root: &Path) -> Outcome {
    let start = Instant::now();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for (number, (name, step)) in STEPS.iter().enumerate() {
        println!("\n== {} of {}: {name}", number + 1, STEPS.len());
        let begin = Instant::now();
        let outcome = step.run(root);
        times.push((name, begin.elapsed()));
        if let Err(message) = outcome {
            print_times(&times);
            return Err(format!("step \"{name}\" failed: {message}"));
        }
    }
    print_times(&times);
    println!(
        "all {} steps passed in {:.0} s",
        STEPS.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

impl Step {
    fn run(&self, root: &Path) -> Outcome {
        match self {
            Self::Cargo(arguments) => cargo(root, arguments),
            Self::Ours(command) => command(root),
        }
    }
}

fn cargo(root: &Path, arguments: &str) -> Outcome {
    println!("$ cargo {arguments}");
    let mut command = Command::new("cargo");
    command.args(arguments.split_whitespace()).current_dir(root);
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
