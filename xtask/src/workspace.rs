//! Where the workspace is and how its files are read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command gives: nothing, or a message for the person who called it.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// `cargo` in the workspace, without the variables that it set for this program: the build script of ring looks at some of
/// them, and would have everything above it compiled again whenever a build with them follows one without.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root);
    for (name, _) in std::env::vars_os() {
        let begins = |start| name.to_string_lossy().starts_with(start);
        if begins("CARGO_PKG_") || begins("CARGO_MANIFEST_") {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// The text of a file, or a message that names it.
pub(crate) fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Every `.rs` file below a folder, in a stable order.
pub(crate) fn rust_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| format!("cannot list {}: {error}", folder.display()))?
            .path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
