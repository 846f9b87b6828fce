//! The compiled `backend`.

use std::path::{Path, PathBuf};

use crate::workspace::{self, Outcome};

/// The program that the clients start.
pub(super) struct Program(PathBuf);

impl Program {
    /// Compiles the program with the features that the workspace's tests are compiled with.
    pub(super) fn compile(root: &Path) -> Outcome<Self> {
        workspace::call(workspace::cargo(root).args(["build", "--workspace", "--bin", "backend"]))?;
        let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
        Ok(Self(own.with_file_name("backend")))
    }

    /// Returns the environment variable of the clients' scripts.
    pub(super) fn variable(&self) -> (&'static str, &Path) {
        ("BACKEND", &self.0)
    }
}
