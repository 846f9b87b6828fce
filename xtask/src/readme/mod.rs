//! `cargo xtask readme`: runs the shell commands in README.md.

mod block;
mod run;

pub(crate) use run::run;
