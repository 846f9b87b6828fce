//! Passes the commit to the program, for `--version` and the metric `build_info`.
//!
//! Only for release builds: otherwise every commit would compile the crate and its tests again.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=BUILD_COMMIT");
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let given = std::env::var("BUILD_COMMIT").ok();
    let commit = given.or_else(|| is_release.then(commit).flatten());
    let commit = commit.unwrap_or_else(|| "unknown".to_owned());
    println!("cargo:rustc-env=BUILD_COMMIT={commit}");
}

/// Returns the commit of the checkout, and has the script run again when it changes.
fn commit() -> Option<String> {
    // The log of HEAD changes with every commit and checkout. A missing file would run the script at every build.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
