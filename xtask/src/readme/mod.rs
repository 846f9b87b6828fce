//! `cargo xtask readme`: the shell commands in README.md work as they stand there.

mod block;
mod run;
mod server;

pub(crate) use run::run;
