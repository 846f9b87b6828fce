//! `cargo xtask commands`: runs the shell commands of the documentation pages.

mod command;
mod exceptions;
mod output;
mod page;
mod run;
mod server;
mod shell;

pub(crate) use run::run;
