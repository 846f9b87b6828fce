//! `cargo xtask layers`: rejects upward and cyclic imports between modules.

mod check;
mod cycle;
mod imports;
mod manifest;
mod modules;
mod plan;

pub(crate) use check::run;
