//! The store through its front door: real files, databases in memory, and a PostgreSQL server.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod concurrency;
mod constraints;
mod database;
mod encryption;
mod enum_types;
mod giving_up;
mod kinds;
mod models;
mod not_unique;
mod opening;
mod own_server;
mod proxy;
mod reconnecting;
mod restarting;
mod scanning;
mod schema;
mod transactions;
mod unfilled;
mod unread;
mod writing;
