//! `cargo xtask conformance`: runs clients of other frameworks against `backend`.

use std::path::{Path, PathBuf};
use std::process::Command;

use private_postgres::succeeds;

use crate::debian::Apt;
use crate::workspace::{self, Outcome};

const CLIENT: &str = "conformance/ra-data-simple-rest";
const REMEDY: &str =
    "install Node, 18 or later, and npm (on Debian the packages `nodejs` and `npm`), and call this again";

/// Compiles `backend`, installs the client from its lock file, and runs its tests.
pub(crate) fn run(root: &Path) -> Outcome {
    provide_node()?;
    let folder = root.join(CLIENT);
    reject_urls(&workspace::read(&folder.join("package-lock.json"))?)?;
    call(workspace::cargo(root).args(["build", "-p", "backend"]))?;
    call(npm(&folder).args(["ci", "--prefer-offline"]))?;
    call(npm(&folder).arg("test").env("BACKEND", backend()?))
}

fn provide_node() -> Outcome {
    let is_there =
        || ["node", "npm"].map(|program| succeeds(Command::new(program).arg("--version"))) == [true; 2];
    if is_there() {
        return Ok(());
    }
    println!("Node or npm is not on this machine: installing them");
    let installed = Apt::find().and_then(|apt| apt.install("nodejs npm"));
    match installed {
        Ok(()) if is_there() => Ok(()),
        Ok(()) => Err(format!("the installed packages have no node and npm; {REMEDY}")),
        Err(message) => Err(format!(
            "there is no Node or no npm, and they cannot be installed: {message}; {REMEDY}"
        )),
    }
}

/// Rejects a lock file with the packages' URLs: only those who can reach them could use it.
fn reject_urls(lock: &str) -> Outcome {
    if lock.contains("\"resolved\"") {
        Err(format!(
            "the lock file in {CLIENT} has the URLs of packages: remove its lines with \"resolved\""
        ))
    } else {
        Ok(())
    }
}

/// Returns the compiled program, which is beside this one.
fn backend() -> Outcome<PathBuf> {
    let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    Ok(own.with_file_name("backend"))
}

fn npm(folder: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder);
    npm
}

fn call(command: &mut Command) -> Outcome {
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    let shown = format!("{} {}", command.get_program().to_string_lossy(), words.join(" "));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_has_no_urls_of_packages() {
        assert!(reject_urls(r#"{"version": "1.0.0", "integrity": "sha512-x"}"#).is_ok());
        assert!(reject_urls(r#"{"version": "1.0.0", "resolved": "https://host/x.tgz"}"#).is_err());
    }
}
