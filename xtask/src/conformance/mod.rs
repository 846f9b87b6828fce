//! `cargo xtask conformance`: runs clients of other frameworks against `backend`, one module each.

mod openapi_typescript;
mod program;
mod run;
mod simple_rest;

pub(crate) use run::{openapi_typescript, run, simple_rest};
