//! `cargo xtask conformance`: runs clients of other frameworks against `backend`, one module each.

mod length;
mod openapi_typescript;
mod program;
mod run;
mod schemathesis;
mod simple_rest;

pub(crate) use length::Length;
pub(crate) use run::{openapi_typescript, run, schemathesis, simple_rest};
