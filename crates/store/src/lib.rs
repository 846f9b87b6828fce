//! The records of model-resource in a database: finding, listing, writing, transactions, migrations.
//!
//! A [`Store`] is opened from a URL and cloned wherever it is needed. It speaks of models by their tables, so that the
//! HTTP side needs no types, and has typed methods for handlers. SQLite and PostgreSQL are
//! the databases (features `sqlite` and `postgres`); only the folders of these names know a driver.

mod block;
mod budget;
mod database;
mod dialect;
mod error;
mod explain;
mod fit;
mod list;
mod names;
#[cfg(feature = "postgres")]
mod postgres;
mod refusal;
mod row_key;
mod segment;
mod select;
mod sink;
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod tables;
mod transaction;
mod typed;
mod update;

pub use dialect::SqlDialect;
pub use error::{Error, Result};
pub use explain::QueryPlan;
pub use list::{KeysetPosition, ListQuery, Seek};
pub use row_key::RowKey;
pub use select::{AnyQuery, Query};
pub use sink::{MapRow, RowSink, ScanResult};
#[cfg(feature = "sqlite")]
pub use sqlite::ddl::create_table_sql;
pub use store::Store;
pub use transaction::Transaction;
pub use typed::CollectModels;
pub use update::{Precondition, Updated};
