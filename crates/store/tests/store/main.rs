//! Tests of the store's public API on files, databases in memory, and a PostgreSQL server.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod aggregates;
mod blind_updates;
mod brief_scans;
mod cancellation;
mod concurrency;
mod constraints;
mod copies;
mod data_types;
mod database;

mod dedicated_server;
mod deferred;
mod deferred_responses;
mod driven;
mod encryption;
mod enum_types;
mod foreign_commits;
mod group_values;
mod migrations;
mod models;
mod not_unique;
mod opening;
mod own_postgres_code;
mod own_sqlite_code;
mod policies_in_memory;
mod proxy;
mod raw_sql;
mod reconnecting;
mod required_columns;
mod restarting;
mod scanning;
mod schema;
mod transactions;
mod unresponsive;
mod writing;
mod written_together;
