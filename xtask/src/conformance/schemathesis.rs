//! Requests that `schemathesis` generates from the OpenAPI document.

use std::path::{Path, PathBuf};
use std::process::Command;

use private_postgres::{ClusterSettings, succeeds};

use super::length::Length;
use super::program::Program;
use crate::debian::Apt;
use crate::postgres::{Databases, TestServer};
use crate::scratch::Scratch;
use crate::workspace::{self, Outcome};

const FOLDER: &str = "conformance/schemathesis";
const REMEDY: &str =
    "install Python, 3.10 or later, with venv (on Debian the package `python3-venv`), and call this again";

/// Runs it on a new SQLite file and on a new PostgreSQL database.
pub(super) fn run(root: &Path, program: &Program, databases: Databases, length: Length) -> Outcome {
    let python = environment(root)?;
    let call = |database: &str| {
        let mut script = Command::new(&python);
        script
            .arg(root.join(FOLDER).join("run.py"))
            .arg(match length {
                Length::Short => "short",
                Length::Long => "long",
            })
            .arg(database)
            .envs(program.variables());
        workspace::call(&mut script)
    };
    let scratch = Scratch::new()?;
    call(&format!("sqlite:{}", scratch.path().join("backend.db").display()))?;
    if !databases.has_postgres() {
        return Ok(());
    }
    TestServer::provide(root, &ClusterSettings::default())?.with_database("test_schemathesis", call)
}

/// Installs the pinned packages into a virtual environment below `target`, and returns its Python.
fn environment(root: &Path) -> Outcome<PathBuf> {
    let folder = root.join("target/schemathesis");
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
        .current_dir(root.join(FOLDER));
    workspace::call(&mut pip)?;
    Ok(python)
}
