//! All clients in order.

use std::path::Path;

use crate::workspace::Outcome;

use super::program::Program;
use super::{openapi_typescript as typescript, simple_rest as provider};

/// Runs every client.
pub(crate) fn run(root: &Path) -> Outcome {
    let program = Program::compile(root)?;
    provider::run(root, &program)?;
    typescript::run(root, &program)
}

/// Runs the data provider of react-admin.
pub(crate) fn simple_rest(root: &Path) -> Outcome {
    provider::run(root, &Program::compile(root)?)
}

/// Lints the OpenAPI document, and runs a client generated from it.
pub(crate) fn openapi_typescript(root: &Path) -> Outcome {
    typescript::run(root, &Program::compile(root)?)
}
