//! Database access for model-resource: queries, lists, writes, transactions and migrations.
//!
//! A [`Store`] is opened from a URL and cloned wherever it is needed. Typed methods such as
//! [`Store::get`] are for handlers. Their type-erased counterparts identify models by their tables, for the HTTP
//! layer, and end in `_any`. SQLite and PostgreSQL are supported (features `sqlite`
//! and `postgres`); only the folders with these names use a driver.
//!
//! This crate is an internal part of model-resource: applications use it as `model_resource::store`, and by the names
//! that `model_resource` exports. Other items may change in any version.

mod aggregates;
mod backend;
mod batch;
mod brief_scan;
mod budget;
mod change_count;
mod changes;
mod clock;
mod coerce;
mod database;
mod database_wait;
mod deferral;
mod deferred;
mod delete_query;
mod deletions;
mod dialect;
mod drift;
mod driver_access;
mod error;
mod explain;
mod file_fault;
mod group_row;
mod identity;
mod inserts;
mod list_query;
mod lists;
mod maintenance;
mod migrate;
mod migration;
mod migration_files;
mod migration_history;
mod migration_plan;
mod migration_status;
mod migrations;
mod models;
mod own_tables;
#[cfg(feature = "postgres")]
mod postgres;
mod price;
mod raw;
mod raw_sql;
mod responses;
mod row_key;
mod savepoint;
mod search_timeout;
mod secret;
mod sink;
mod slow;
mod sql;
mod sql_row;
#[cfg(feature = "sqlite")]
mod sqlite;
mod start_waiters;
mod statistics;
mod status;
mod store;
mod table_declarations;
mod transaction;
mod uniqueness;
mod update;
mod violation_errors;
mod written_row;

pub use brief_scan::BriefScan;
#[doc(hidden)]
pub use database_wait::{drop_and_tell_wait, wait_for_database};
pub use deferred::DeferredTransaction;
pub use delete_query::DeleteQuery;
pub use dialect::SqlDialect;
#[cfg(feature = "postgres")]
pub use driver_access::PostgresClient;
pub use error::{StoreError, StoreResult};
pub use explain::QueryPlan;
pub use file_fault::FileFault;
pub use group_row::GroupRow;
#[doc(hidden)]
pub use identity::StoreIdentity;
pub use list_query::{KeysetPosition, ListQuery, Seek};
pub use migration::Migration;
#[doc(hidden)]
pub use migration_files::EmbeddedMigrations;
pub use migration_plan::PlannedMigration;
pub use migration_status::{AppliedMigration, MigrationStatus};
pub use migrations::{MigrationSource, Migrations};
pub use model_resource_schema::query::{AnyQuery, Query};
pub use models::{CollectModels, read_model};
pub use price::QueryPricing;
pub use raw_sql::Sql;
pub use responses::StoredResponse;
pub use row_key::RowKey;
pub use sink::{MapRow, RowSink, ScanResult};
pub use sql_row::SqlRow;
pub use statistics::{ColumnIndex, TableStatistics};
pub use status::{GroupSizes, LaneStatus, StoreStatus};
pub use store::Store;
pub use transaction::Transaction;
pub use update::{Precondition, Updated};

#[cfg(feature = "sqlite")]
pub use rusqlite;
#[cfg(feature = "postgres")]
pub use tokio_postgres;
