//! The store through its front door: real files, databases in memory, and a PostgreSQL server.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod concurrency;
mod constraints;
mod database;
mod giving_up;
mod kinds;
mod models;
mod opening;
mod reconnecting;
mod scanning;
mod schema;
mod transactions;
mod writing;
