//! SQL of steps.

mod ddl;
mod empty_texts;
mod migration;
mod postgres;
mod postgres_columns;
mod postgres_enums;
mod rebuild;
mod sqlite;

pub use migration::{MigrationSql, migration_sql, steps_sql};
