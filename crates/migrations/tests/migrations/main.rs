//! Migrations on real databases: rows before and after, up and down.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod change;
mod column_changes;
mod constraint_changes;
mod files;
mod index_changes;
mod kinds;
mod models;
mod postgres;
mod postgres_sql;
mod postgres_text;
mod questions;
mod random;
mod random_models;
mod schemas;
mod table_changes;
