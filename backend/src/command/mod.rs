//! The command line.

mod audit;
mod backup;
mod cli;
mod configuration;
mod database;
mod explain;
mod log;
mod metrics;
mod migrate;
mod openapi;
mod routes;
mod seed;
mod serve;
mod user;

pub use cli::run;
pub use log::start_log;
