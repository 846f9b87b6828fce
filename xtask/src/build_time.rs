//! `cargo xtask build-time`: CPU seconds of a cold debug build of the README's application, and of the build after a change.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::workspace::{Outcome, call, cargo, read};

/// Clock ticks per second in `/proc`, which are the same on all Linux systems.
const TICKS_PER_SECOND: f64 = 100.0;

/// Builds the application in a folder of its own, so that no compiled crate and no profile of the workspace is used: with the
/// default features, and with SQLite and the server alone.
pub(crate) fn run(root: &Path) -> Outcome {
    let source = first_example(&read(&root.join("README.md"))?)?;
    let path = root.join("crates/model-resource");
    let dependency = format!("path = {path:?}");
    let all = measure(root, &dependency, &source)?;
    let alone = format!("{dependency}, default-features = false, features = [\"server\", \"sqlite\"]");
    let alone = measure(root, &alone, &without_optional_features(&source)?)?;
    println!("default features:\n{all}\nSQLite and the server alone:\n{alone}");
    Ok(())
}

/// Returns the times of a build without anything that is compiled, and of the build after a change, as text.
fn measure(root: &Path, dependency: &str, source: &str) -> Outcome<String> {
    let folder = root.join("target/build-time");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    }
    write(&folder.join("Cargo.toml"), &manifest(dependency))?;
    write(&folder.join("Cargo.lock"), &read(&root.join("Cargo.lock"))?)?;
    write(&folder.join("src/main.rs"), source)?;
    call(cargo(&folder).arg("fetch"))?;
    let cold = build(&folder)?;
    let changed = source.replace("\"library\"", "\"changed\"");
    write(&folder.join("src/main.rs"), &changed)?;
    let again = build(&folder)?;
    Ok(format!("  cold build:     {cold}\n  after a change: {again}"))
}

/// Returns the manifest, with the profile that the README and new applications have.
fn manifest(dependency: &str) -> String {
    format!(
        "[workspace]\n\n[package]\nname = \"library\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         model-resource = {{ {dependency} }}\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }}\n\n\
         [profile.dev.package.\"*\"]\ndebug = \"line-tables-only\"\n"
    )
}

/// Returns the application without its OpenAPI document and its pages, which are features.
fn without_optional_features(source: &str) -> Outcome<String> {
    let calls = "\n        .docs()\n        .pages(Pages::new())";
    if !source.contains(calls) || !source.contains("Pages, ") {
        return Err("the application of README.md has no pages to leave out".to_owned());
    }
    Ok(source.replace(calls, "").replace("Pages, ", ""))
}

/// Returns the application at the top of the page.
fn first_example(page: &str) -> Outcome<String> {
    let code = page.split_once("```rust,no_run\n").map(|(_, rest)| rest);
    let code = code.and_then(|rest| rest.split_once("```")).map(|(code, _)| code);
    code.filter(|code| code.contains("fn main()"))
        .map(str::to_owned)
        .ok_or_else(|| "README.md does not begin with an application".to_owned())
}

fn write(path: &Path, text: &str) -> Outcome {
    let fail = |error| format!("cannot write {}: {error}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(fail)?;
    fs::write(path, text).map_err(fail)
}

/// Builds, and returns the time as text.
fn build(folder: &Path) -> Outcome<String> {
    let (start, used) = (Instant::now(), children_seconds()?);
    call(
        cargo(folder)
            .args(["build", "--offline"])
            .env("CARGO_TARGET_DIR", folder.join("target")),
    )?;
    Ok(format!(
        "{:.1} CPU seconds, {:.1} s",
        children_seconds()? - used,
        start.elapsed().as_secs_f64()
    ))
}

/// Returns the CPU time of all processes that this one has waited for, and of theirs.
fn children_seconds() -> Outcome<f64> {
    let text = read(Path::new("/proc/self/stat"))?;
    seconds_in(&text).ok_or_else(|| "cannot read CPU times in /proc/self/stat".to_owned())
}

/// Reads `cutime` and `cstime`. The name of the program, in parentheses, may contain spaces.
fn seconds_in(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(13).take(2).map(str::parse::<f64>);
    Some((ticks.next()?.ok()? + ticks.next()?.ok()?) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_begins_with_an_application() {
        let page = read(&crate::workspace::root().join("README.md")).unwrap();
        let source = first_example(&page).unwrap();
        assert!(source.contains("\"library\""));
        assert!(!without_optional_features(&source).unwrap().contains("Pages"));
    }

    #[test]
    fn the_times_of_children_are_found_after_the_name() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 0 0 0 0 0 11 12 250 50 20 0 1 0 99";
        assert_eq!(seconds_in(stat), Some(3.0));
    }
}
