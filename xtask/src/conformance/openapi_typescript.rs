//! A linter of the OpenAPI document, and a client that is generated from it by `openapi-typescript`.

use std::path::Path;

use super::program::Program;
use crate::node;
use crate::workspace::{self, Outcome};

const FOLDER: &str = "conformance/openapi-typescript";

/// Installs the packages from their lock file, and runs the tests.
pub(super) fn run(root: &Path, program: &Program) -> Outcome {
    let folder = root.join(FOLDER);
    node::install(&folder)?;
    workspace::call(node::npm(&folder).arg("test").envs(program.variables()))
}
