//! `cargo xtask commands`: runs the shell commands of the documentation pages.

mod command;
mod exceptions;
mod output;
mod page;
mod run;
mod shell;

pub(crate) use run::run;
