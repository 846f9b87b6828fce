//! PostgreSQL: shared connections for reads, connection pools for writes and transactions, and the SQL they run.

mod advisory_lock;
mod aggregate;
mod attempt;
mod cancel;
mod cancel_request;
mod change;
mod codec;
mod connection;
pub(crate) mod database;
mod error;
mod exclusive;
mod executor;
mod explain;
mod fetch;
mod fetch_size;
mod found_constraints;
mod generation;
mod health;
mod held_connection;
mod intent;
mod learned;
mod lending;
pub(crate) mod lent_client;
mod long_lists;
mod migration_lock;
mod migrations;
mod missing_tables;
mod monitor;
mod numeric;
mod open_state;
mod pool;
mod preparation;
pub(crate) mod raw;
mod related;
mod reset;
mod row;
mod scan;
mod schema;
mod server;
mod session;
mod shared;
mod stalled;
mod statement;
mod statistics;
mod table_sql;
#[cfg(feature = "tls")]
mod tls;
#[cfg(not(feature = "tls"))]
#[path = "no_tls.rs"]
mod tls;
mod transaction;
mod url;
mod violation;

/// Makes connections with TLS, or without it in programs that are built without the feature.
#[cfg(feature = "tls")]
type TlsConnector = tokio_postgres_rustls::MakeRustlsConnect;
/// Makes connections without TLS.
#[cfg(not(feature = "tls"))]
type TlsConnector = tokio_postgres::NoTls;
