//! The records of model-resource in a database: finding, listing, writing, transactions, migrations.
//!
//! A [`Store`] is opened from a URL and cloned wherever it is needed. It speaks of models by their tables, so that the
//! HTTP side needs no types, and has typed methods for handlers. SQLite is the database so far; only the folder
//! `sqlite` knows its driver.

mod error;
mod select;
mod sink;
mod sqlite;
mod store;
mod transaction;
mod typed;
mod update;

pub use error::{Error, Result};
pub use select::{Query, Select};
pub use sink::{Scanned, Sink};
pub use sqlite::ddl::create_table_sql;
pub use store::Store;
pub use transaction::Transaction;
pub use update::{Guard, Updated};
