//! Requests that `schemathesis` generates from the OpenAPI document.

use std::path::Path;
use std::process::Command;
use std::thread;

use private_postgres::ClusterSettings;

use super::length::Length;
use super::program::Program;
use super::python;
use crate::postgres::{Databases, TestServer};
use crate::scratch::Scratch;
use crate::workspace::{self, Outcome};

const FOLDER: &str = "conformance/schemathesis";

/// Runs it on a new SQLite file and on a new PostgreSQL database at the same time: the generator uses one core.
pub(super) fn run(root: &Path, program: &Program, databases: Databases, length: Length) -> Outcome {
    let python = python::environment(root, "schemathesis", &root.join(FOLDER))?;
    let command = |database: &str| {
        let mut script = Command::new(&python);
        script
            .arg(root.join(FOLDER).join("run.py"))
            .arg(match length {
                Length::Short => "short",
                Length::Long => "long",
            })
            .arg(database)
            .envs(program.variables());
        script
    };
    let on_postgres = || {
        let server = TestServer::provide(root, &ClusterSettings::default())?;
        server.with_database("test_schemathesis", |database| {
            workspace::call_quietly(&mut command(database))
        })
    };
    let scratch = Scratch::new()?;
    let file = format!("sqlite:{}", scratch.path().join("backend.db").display());
    thread::scope(|scope| {
        let other = databases.has_postgres().then(|| scope.spawn(on_postgres));
        workspace::call(&mut command(&file))?;
        match other {
            Some(other) => other
                .join()
                .unwrap_or_else(|_| Err("the run on PostgreSQL panicked".to_owned())),
            None => Ok(()),
        }
    })
}
