//! The workspace's location and files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use private_postgres::Outcome;

/// Returns the folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Returns `cargo` in the workspace, as from a terminal.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    remove_cargo_variables(cargo.current_dir(root));
    cargo
}

/// Removes the variables that cargo set for this program. The build script of ring reads some of them, and would
/// recompile its dependents whenever builds with and without them alternate.
pub(crate) fn remove_cargo_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let begins = |start| name.to_string_lossy().starts_with(start);
        if begins("CARGO_PKG_") || begins("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
}

/// Test target of `model-resource` and of its macros.
///
/// Cargo unifies the features of the packages whose targets are selected, with the dependencies of their tests. Together with
/// this target, any target of the workspace has the features that it has among all tests; alone, most crates would be compiled
/// again.
pub(crate) const COMMON_FEATURES: [&str; 2] = ["--test", "resources"];

/// Compiles programs of the workspace with the features that its tests are compiled with, and returns their folder.
pub(crate) fn compile_programs(root: &Path, programs: &[&str]) -> Outcome<PathBuf> {
    let mut build = cargo(root);
    build.args(["build", "--workspace"]).args(COMMON_FEATURES);
    for program in programs {
        build.args(["--bin", program]);
    }
    call(&mut build)?;
    program_folder()
}

/// Returns the folder of the programs that cargo compiles, which is that of this one.
pub(crate) fn program_folder() -> Outcome<PathBuf> {
    let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    Ok(own.parent().map_or_else(PathBuf::new, Path::to_path_buf))
}

/// Returns a command as in a terminal.
fn shown(command: &Command) -> String {
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    format!("{} {}", command.get_program().to_string_lossy(), words.join(" "))
}

/// Runs a command beside another one. Prints it with its output when it has ended.
pub(crate) fn call_quietly(command: &mut Command) -> Outcome {
    let shown = shown(command);
    let ended = command
        .output()
        .map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    let (output, errors) = (
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr),
    );
    println!("$ {shown}\n{output}{errors}");
    if ended.status.success() {
        Ok(())
    } else {
        Err(format!("`{shown}` ended with {}", ended.status))
    }
}

/// Prints a command, runs it and waits for its success.
pub(crate) fn call(command: &mut Command) -> Outcome {
    let shown = shown(command);
    println!("$ {shown}");
    let status = command
        .status()
        .map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{shown}` ended with {status}"))
    }
}

/// Reads a file. The error names it.
pub(crate) fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Returns every `.rs` file below a folder except compiled ones, in a stable order.
pub(crate) fn rust_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| format!("cannot list {}: {error}", folder.display()))?
            .path();
        if path.ends_with("target") {
            continue;
        }
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the documentation pages in the root and below `docs`.
pub(crate) fn pages(root: &Path) -> Outcome<Vec<PathBuf>> {
    let mut pages = Vec::new();
    let mut folders = vec![root.join("docs")];
    let files = fs::read_dir(root).map_err(|error| format!("cannot list {}: {error}", root.display()))?;
    pages.extend(
        files
            .filter_map(|file| Some(file.ok()?.path()))
            .filter(|path| is_page(path)),
    );
    while let Some(folder) = folders.pop() {
        for file in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match file.path() {
                path if path.is_dir() => folders.push(path),
                path if is_page(&path) => pages.push(path),
                _ => {}
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// Returns the READMEs of the crates and the examples.
pub(crate) fn readmes(root: &Path) -> Outcome<Vec<PathBuf>> {
    let mut readmes = Vec::new();
    for folder in ["crates", "examples"] {
        let folder = root.join(folder);
        let packages =
            fs::read_dir(&folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
        let packages = packages.flatten().map(|package| package.path().join("README.md"));
        readmes.extend(packages.filter(|readme| readme.is_file()));
    }
    readmes.sort();
    Ok(readmes)
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}
