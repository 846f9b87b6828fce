//! `cargo xtask test`: everything that must pass, in order, up to the first failure.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::workspace::Outcome;
use crate::{layers, readme, spec};

type Step = (&'static str, fn(&Path) -> Outcome);

const STEPS: [Step; 8] = [
    ("formatting", |root| cargo(root, &["fmt", "--all", "--check"])),
    ("clippy", |root| {
        cargo(
            root,
            &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        )
    }),
    ("layers", layers::run),
    ("spec", spec::run),
    ("tests and doc tests", |root| {
        cargo(root, &["test", "--workspace"])
    }),
    ("tests in examples", |root| {
        cargo(root, &["test", "--workspace", "--examples"])
    }),
    ("documentation", |root| {
        cargo(root, &["doc", "--workspace", "--no-deps"])
    }),
    ("readme", readme::run),
];

/// Runs every step and prints how long each took.
pub(crate) fn run(root: &Path) -> Outcome {
    let start = Instant::now();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for (number, (name, step)) in STEPS.iter().enumerate() {
        println!("\n== {} of {}: {name}", number + 1, STEPS.len());
        let begin = Instant::now();
        let outcome = step(root);
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

fn print_times(times: &[(&str, Duration)]) {
    println!();
    for (name, time) in times {
        println!("{:>7.1} s  {name}", time.as_secs_f64());
    }
}

fn cargo(root: &Path, arguments: &[&str]) -> Outcome {
    let line = format!("cargo {}", arguments.join(" "));
    println!("$ {line}");
    let status = Command::new("cargo")
        .args(arguments)
        .current_dir(root)
        .env("RUSTDOCFLAGS", "-D warnings")
        .status()
        .map_err(|error| format!("cannot start `{line}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{line}` ended with {status}"))
    }
}
