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

    /// Returns the environment variables of the clients' scripts. All of their writes come from one address.
    pub(super) fn variables(&self) -> [(&'static str, &Path); 2] {
        [
            ("BACKEND", &self.0),
            ("BACKEND_ANONYMOUS_WRITES_PER_MINUTE", Path::new("0")),
        ]
    }
}
