//! Node and npm, for clients and checkers that are npm packages.

use std::path::Path;
use std::process::Command;

use private_postgres::succeeds;

use crate::debian::Apt;
use crate::workspace::{self, Outcome};

const REMEDY: &str =
    "install Node, 18 or later, and npm (on Debian the packages `nodejs` and `npm`), and call this again";

/// Installs the packages of a folder from its lock file, and Node and npm if they are missing.
pub(crate) fn install(folder: &Path) -> Outcome {
    provide()?;
    reject_urls(folder, &workspace::read(&folder.join("package-lock.json"))?)?;
    workspace::call(npm(folder).args(["ci", "--prefer-offline"]))
}

/// Returns `npm` in a folder.
pub(crate) fn npm(folder: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder);
    npm
}

fn provide() -> Outcome {
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
fn reject_urls(folder: &Path, lock: &str) -> Outcome {
    if lock.contains("\"resolved\"") {
        Err(format!(
            "the lock file in {} has the URLs of packages: remove its lines with \"resolved\"",
            folder.display()
        ))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_has_no_urls_of_packages() {
        let check = |lock| reject_urls(Path::new("client"), lock);
        assert!(check(r#"{"version": "1.0.0", "integrity": "sha512-x"}"#).is_ok());
        assert!(check(r#"{"version": "1.0.0", "resolved": "https://host/x.tgz"}"#).is_err());
    }
}
