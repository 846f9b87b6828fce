//! The data provider of react-admin, `ra-data-simple-rest`.

use std::path::Path;

use super::program::Program;
use crate::node;
use crate::workspace::{self, Outcome};

const FOLDER: &str = "conformance/ra-data-simple-rest";

/// Installs the provider from its lock file, and runs its tests.
pub(super) fn run(root: &Path, program: &Program) -> Outcome {
    let folder = root.join(FOLDER);
    node::install(&folder)?;
    workspace::call(node::npm(&folder).arg("test").envs(program.variables()))
}
