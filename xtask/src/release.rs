//! `cargo xtask release`: what must hold before the crates are published.

use std::path::Path;
use std::process::Command;

use crate::workspace::{Outcome, call, cargo};

/// Version of cargo-deny that is installed if there is none.
const CARGO_DENY: &str = "cargo-deny@0.20.2";

/// Packages every crate as for publishing, compiles each from its package, and checks licences and banned crates.
pub(crate) fn run(root: &Path) -> Outcome {
    call(cargo(root).args([
        "publish",
        "--workspace",
        "--dry-run",
        "--allow-dirty",
        "--no-verify",
    ]))?;
    if !has_cargo_deny(root) {
        call(cargo(root).args(["install", "--locked", CARGO_DENY]))?;
    }
    call(cargo(root).args(["deny", "check", "licenses", "bans"]))
}

fn has_cargo_deny(root: &Path) -> bool {
    let version: &mut Command = &mut cargo(root);
    let output = version.args(["deny", "--version"]).output();
    output.is_ok_and(|output| output.status.success())
}
