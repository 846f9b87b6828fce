//! The command line.

mod audit;
mod cli;
mod database;
mod explain;
mod log;
mod metrics;
mod openapi;
mod routes;
mod seed;
mod serve;
mod user;

pub use cli::Cli;
pub use log::start_log;
