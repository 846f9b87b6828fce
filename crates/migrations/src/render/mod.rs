//! SQL of steps.

mod ddl;
mod migration;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod rebuild;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use migration::{MigrationSql, migration_sql, steps_sql};
