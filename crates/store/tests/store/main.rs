//! The store through its front door: real files and databases in memory.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod concurrency;
mod constraints;
mod database;
mod kinds;
mod models;
mod opening;
mod scanning;
mod schema;
mod transactions;
mod writing;
