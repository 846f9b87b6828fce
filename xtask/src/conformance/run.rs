//! All clients in order.

use std::path::Path;

use crate::postgres::Databases;
use crate::workspace::Outcome;

use super::length::Length;
use super::program::Program;
use super::{
    django as examples, openapi_typescript as typescript, schemathesis as generator, simple_rest as provider,
};

/// Runs every client.
pub(crate) fn run(root: &Path, length: Length) -> Outcome {
    let program = Program::compile(root)?;
    provider::run(root, &program)?;
    typescript::run(root, &program)?;
    generator::run(root, &program, Databases::Both, length)?;
    examples::run(root, Databases::Both)
}

/// Runs the data provider of react-admin.
pub(crate) fn simple_rest(root: &Path) -> Outcome {
    provider::run(root, &Program::compile(root)?)
}

/// Lints the OpenAPI document, and runs a client generated from it.
pub(crate) fn openapi_typescript(root: &Path) -> Outcome {
    typescript::run(root, &Program::compile(root)?)
}

/// Runs a short schemathesis.
pub(crate) fn schemathesis(root: &Path, databases: Databases) -> Outcome {
    generator::run(root, &Program::compile(root)?, databases, Length::Short)
}

/// Runs the tests of the examples in Django REST framework.
pub(crate) fn django(root: &Path, databases: Databases) -> Outcome {
    examples::run(root, databases)
}
