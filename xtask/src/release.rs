//! `cargo xtask release`: what must hold before the crates are published.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scratch::Scratch;
use crate::workspace::{Outcome, call, cargo, read, remove_cargo_variables};

const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
};
const SEMVER_CHECKS: Tool = Tool {
    name: "cargo-semver-checks",
    version: "0.49.0",
};

/// Crates whose public API is kept within a minor version, see `docs/reference/stability.md`.
const STABLE: [&str; 5] = [
    "model-resource",
    "model-resource-audit",
    "model-resource-cli",
    "model-resource-security",
    "model-resource-testing",
];

/// Packages every crate as for publishing, compiles each from its package, checks licences and banned crates, and from the
/// second release on compares the public API with that of the last one.
pub(crate) fn run(root: &Path) -> Outcome {
    reject_incomplete_packages(root)?;
    publish_dry_run(root)?;
    compile_with_minimum_rust(root)?;
    call(DENY.command(root)?.args(["check", "licenses", "bans"]))?;
    let (changelog, manifest) = (read(&root.join("CHANGELOG.md"))?, read(&root.join("Cargo.toml"))?);
    let Some(last) = last_release(&changelog, &field(&manifest, "version")?) else {
        println!("CHANGELOG.md has no earlier release, so that there is no public API to compare with");
        return Ok(());
    };
    let mut compare = SEMVER_CHECKS.command(root)?;
    compare.args(["check-release", "--baseline-version", last]);
    for package in STABLE {
        compare.args(["--package", package]);
    }
    call(&mut compare)
}

/// Packages every crate, and compiles each from its package.
///
/// The folder is a new one each time: cargo keeps the unpacked crates of a folder's registry, and would compile the next
/// ones against those of an earlier run, which have the same version.
fn publish_dry_run(root: &Path) -> Outcome {
    let place = Scratch::new()?;
    let mut publish = cargo(root);
    publish.args([
        "publish",
        "--workspace",
        "--dry-run",
        "--allow-dirty",
        "--target-dir",
    ]);
    call(publish.arg(place.path()))
}

/// Rejects packages that are neither complete for crates.io and docs.rs nor marked as not published.
fn reject_incomplete_packages(root: &Path) -> Outcome {
    let mut problems = Vec::new();
    let shared_licence = field(&read(&root.join("Cargo.toml"))?, "license")?;
    for folder in ["", "crates", "examples"] {
        let entries = fs::read_dir(root.join(folder))
            .map_err(|error| format!("cannot list {}: {error}", root.join(folder).display()))?;
        for package in entries.flatten().map(|entry| entry.path()) {
            let Ok(manifest) = fs::read_to_string(package.join("Cargo.toml")) else {
                continue;
            };
            let licence = field(&manifest, "license").unwrap_or_else(|_| shared_licence.clone());
            let lacks = lacking(&manifest, &licence, |file| package.join(file).is_file());
            problems.extend(lacks.map(|what| format!("{} has no {what}", package.display())));
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("{}: add it, or `publish = false`", problems.join("; ")))
}

/// Files with the texts of licences, by the licence's name.
const LICENCE_FILES: [(&str, &str); 2] = [("Apache-2.0", "LICENSE-APACHE"), ("MIT", "LICENSE-MIT")];

/// Returns what a package with this licence lacks for publishing.
fn lacking(
    manifest: &str,
    licence: &str,
    has_file: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &'static str> {
    let is_published = !manifest.contains("\npublish = false\n");
    let has_field = |name: &str| manifest.lines().any(|line| line.starts_with(name));
    let fields = [
        "description = ",
        "license",
        "repository",
        "rust-version",
        "readme = ",
        "keywords = ",
        "categories = ",
        "[package.metadata.docs.rs]",
    ];
    let fields = fields.map(|name| (name, has_field(name)));
    let is_offered = |name| licence.split(' ').any(|word| word == name);
    let files = LICENCE_FILES.map(|(name, file)| (file, !is_offered(name) || has_file(file)));
    let parts = fields.into_iter().chain(files);
    parts
        .filter(move |(_, exists)| is_published && !exists)
        .map(|(name, _)| name.trim_end_matches(" = "))
}

/// Compiles the published crates with the Rust version that they declare, which rustup installs unless it is the one in use.
fn compile_with_minimum_rust(root: &Path) -> Outcome {
    let version = field(&read(&root.join("Cargo.toml"))?, "rust-version")?;
    let mut check = if is_in_use(root, &version)? {
        cargo(root)
    } else {
        call(Command::new("rustup").args(["toolchain", "install", "--profile", "minimal", &version]))?;
        let mut rustup = Command::new("rustup");
        remove_cargo_variables(rustup.current_dir(root));
        rustup.args(["run", &version, "cargo"]);
        rustup
    };
    check.args(["check", "--workspace", "--all-features"]);
    // Another version would replace the compiled crates of the usual one.
    check.args(["--target-dir", "target/minimum-rust"]);
    call(&mut check)
}

/// Whether cargo is of this version of Rust.
fn is_in_use(root: &Path, version: &str) -> Outcome<bool> {
    let output = cargo(root)
        .arg("--version")
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let installed = String::from_utf8_lossy(&output.stdout);
    Ok(installed.starts_with(&format!("cargo {version}.")))
}

/// A subcommand of cargo, installed below `target` unless the user has it.
struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    fn command(&self, root: &Path) -> Outcome<Command> {
        let subcommand = self.name.trim_start_matches("cargo-");
        let is_installed = cargo(root)
            .args([subcommand, "--version"])
            .output()
            .is_ok_and(|output| output.status.success());
        if is_installed {
            let mut command = cargo(root);
            command.arg(subcommand);
            return Ok(command);
        }
        let program = self.own_program(root);
        if !program.is_file() {
            let package = format!("{}@{}", self.name, self.version);
            call(
                cargo(root)
                    .args(["install", "--locked", "--root"])
                    .arg(root.join("target/tools"))
                    .arg(package),
            )?;
        }
        let mut command = Command::new(program);
        command.current_dir(root).arg(subcommand);
        Ok(command)
    }

    fn own_program(&self, root: &Path) -> PathBuf {
        let name = format!("{}{}", self.name, std::env::consts::EXE_SUFFIX);
        root.join("target/tools/bin").join(name)
    }
}

/// Returns a text of the table `package`, or of `workspace.package`, which all crates share.
fn field(manifest: &str, name: &str) -> Outcome<String> {
    let start = format!("{name} = \"");
    let value = manifest.lines().find_map(|line| line.strip_prefix(&start));
    value
        .and_then(|value| value.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or_else(|| format!("Cargo.toml has no {name}"))
}

/// Returns the newest released version in the changelog that is not the one to release.
fn last_release<'c>(changelog: &'c str, version: &str) -> Option<&'c str> {
    changelog
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .filter(|heading| !heading.contains("unreleased"))
        .filter_map(|heading| heading.split_whitespace().next())
        .find(|released| *released != version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_release_is_compared_with_nothing_and_the_second_with_the_first() {
        assert_eq!(
            last_release("# Changelog\n\n## 0.1.0 (unreleased)\n", "0.1.0"),
            None
        );
        assert_eq!(
            last_release("# Changelog\n\n## 0.1.0 (2027-01-02)\n", "0.1.0"),
            None
        );
        let second = "## 0.2.0 (unreleased)\n\n## 0.1.1 (2027-02-03)\n\n## 0.1.0 (2027-01-02)\n";
        assert_eq!(last_release(second, "0.2.0"), Some("0.1.1"));
    }

    #[test]
    fn every_package_is_complete_or_not_published() {
        assert_eq!(reject_incomplete_packages(&crate::workspace::root()), Ok(()));
    }

    #[test]
    fn a_published_package_needs_its_metadata_and_licence() {
        let bare = "[package]\nname = \"bare\"\ndescription = \"Nothing\"\n";
        let missing = |licence| lacking(bare, licence, |_| false).collect::<Vec<_>>();
        let both = missing("MIT OR Apache-2.0");
        for part in ["keywords", "LICENSE-APACHE", "LICENSE-MIT"] {
            assert!(both.contains(&part), "{both:?}");
        }
        let apache = missing("Apache-2.0");
        assert!(
            apache.contains(&"LICENSE-APACHE") && !apache.contains(&"LICENSE-MIT"),
            "{apache:?}"
        );
        let private = format!("{bare}publish = false\n");
        assert_eq!(lacking(&private, "MIT", |_| false).count(), 0);
    }

    #[test]
    fn versions_are_those_of_the_workspace() {
        let manifest = "[workspace.package]\nversion = \"0.1.0\"\nrust-version = \"1.95\"\n";
        assert_eq!(field(manifest, "version"), Ok("0.1.0".to_owned()));
        assert_eq!(field(manifest, "rust-version"), Ok("1.95".to_owned()));
        assert!(field("[package]\nrust-version.workspace = true\n", "rust-version").is_err());
    }
}
