//! `cargo xtask conformance`: runs clients of other frameworks against `backend`.

use std::path::{Path, PathBuf};

use crate::node;
use crate::workspace::{self, Outcome};

const CLIENT: &str = "conformance/ra-data-simple-rest";

/// Compiles `backend`, installs the client from its lock file, and runs its tests.
pub(crate) fn run(root: &Path) -> Outcome {
    let folder = root.join(CLIENT);
    workspace::call(workspace::cargo(root).args(["build", "-p", "backend"]))?;
    node::install(&folder)?;
    workspace::call(node::npm(&folder).arg("test").env("BACKEND", backend()?))
}

/// Returns the compiled program, which is beside this one.
fn backend() -> Outcome<PathBuf> {
    let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    Ok(own.with_file_name("backend"))
}
