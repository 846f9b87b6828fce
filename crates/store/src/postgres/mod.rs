//! PostgreSQL: shared connections for reads, connection pools for writes and transactions, and the SQL they run.

mod advisory_lock;
mod attempt;
mod cancel;
mod change;
mod codec;
mod connection;
pub(crate) mod database;
pub(crate) mod ddl;
mod error;
mod exclusive;
mod executor;
mod explain;
mod fetch;
mod numeric;
mod pool;
pub(crate) mod raw;
mod related;
mod row;
mod scan;
mod schema;
mod shared;
mod statement;
mod table_sql;
mod tls;
mod transaction;
mod url;
mod violation;
