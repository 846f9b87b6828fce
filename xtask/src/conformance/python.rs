//! Python environments below `target`.

use std::path::{Path, PathBuf};
use std::process::Command;

use private_postgres::succeeds;

use crate::debian::Apt;
use crate::workspace::{self, Outcome};

const REMEDY: &str =
    "install Python, 3.10 or later, with venv (on Debian the package `python3-venv`), and call this again";

/// Installs the packages that `requirements.txt` of a folder pins into a virtual environment of this name, and returns
/// its Python.
pub(super) fn environment(root: &Path, name: &str, requirements: &Path) -> Outcome<PathBuf> {
    let folder = root.join("target").join(name);
    let python = folder.join("bin/python");
    if !succeeds(Command::new(&python).arg("--version")) {
        let create = || workspace::call(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        if let Err(message) = create() {
            println!("{message}: installing Python");
            Apt::find()
                .and_then(|apt| apt.install("python3 python3-venv"))
                .map_err(|message| {
                    format!("there is no Python, and it cannot be installed: {message}; {REMEDY}")
                })?;
            create().map_err(|message| format!("{message}; {REMEDY}"))?;
        }
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(["--requirement", "requirements.txt"])
        .current_dir(requirements);
    workspace::call(&mut pip)?;
    Ok(python)
}
