//! The records of model-resource in a database: finding, listing, writing, transactions, migrations.
//!
//! A [`Store`] is opened from a URL and cloned wherever it is needed. It speaks of models by their tables, so that the
//! HTTP side needs no types, and has typed methods for handlers. SQLite and PostgreSQL are
//! the databases (features `sqlite` and `postgres`); only the folders of these names know a driver.

mod batch;
mod budget;
mod coerce;
mod database;
mod dialect;
mod drift;
mod error;
mod explain;
mod keyset;
mod list_query;
mod models;
#[cfg(feature = "postgres")]
mod postgres;
mod query;
mod quote;
mod row_key;
mod sink;
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod transaction;
mod update;
mod violation_errors;

pub use dialect::SqlDialect;
pub use error::{Error, Result};
pub use explain::QueryPlan;
pub use list_query::{KeysetPosition, ListQuery, Seek};
pub use models::CollectModels;
pub use query::{AnyQuery, Query};
pub use row_key::RowKey;
pub use sink::{MapRow, RowSink, ScanResult};
#[cfg(feature = "sqlite")]
pub use sqlite::ddl::create_table_sql;
pub use store::Store;
pub use transaction::Transaction;
pub use update::{Precondition, Updated};
