//! The compiled `backend`.

use std::path::{Path, PathBuf};

use crate::workspace::{self, Outcome};

/// The program that the clients start.
pub(super) struct Program(PathBuf);

impl Program {
    pub(super) fn compile(root: &Path) -> Outcome<Self> {
        let folder = workspace::compile_programs(root, &["backend"])?;
        Ok(Self(folder.join("backend")))
    }

    /// Returns the environment variables of the clients' scripts. All of their writes come from one address.
    pub(super) fn variables(&self) -> [(&'static str, &Path); 2] {
        [
            ("BACKEND", &self.0),
            ("BACKEND_ANONYMOUS_WRITES_PER_MINUTE", Path::new("0")),
        ]
    }
}
