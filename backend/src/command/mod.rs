//! The command line.

mod cli;
mod database;
mod failure;
mod routes;
mod seed;
mod serve;

pub use cli::Cli;
pub use failure::Failure;
