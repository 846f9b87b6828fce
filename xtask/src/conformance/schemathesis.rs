//! Requests that `schemathesis` generates from the OpenAPI document.

use std::path::Path;
use std::process::Command;

use private_postgres::ClusterSettings;

use super::length::Length;
use super::program::Program;
use super::python;
use crate::postgres::{Databases, TestServer};
use crate::scratch::Scratch;
use crate::workspace::{self, Outcome};

const FOLDER: &str = "conformance/schemathesis";

/// Runs it on a new SQLite file and on a new PostgreSQL database.
pub(super) fn run(root: &Path, program: &Program, databases: Databases, length: Length) -> Outcome {
    let python = python::environment(root, "schemathesis", &root.join(FOLDER))?;
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
