//! `cargo xtask conformance`: runs clients of other frameworks against `backend`, one module each.

mod django;
mod length;
mod openapi_typescript;
mod program;
mod python;
mod run;
mod schemathesis;
mod simple_rest;

pub(crate) use length::Length;
pub(crate) use run::{django, openapi_typescript, run, schemathesis, simple_rest};
