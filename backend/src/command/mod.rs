//! The command line.

mod cli;
mod database;
mod explain;
mod failure;
mod log;
mod routes;
mod seed;
mod serve;
mod user;

pub use cli::Cli;
pub use failure::Failure;
pub use log::start_log;
