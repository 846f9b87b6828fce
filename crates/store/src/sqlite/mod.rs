//! SQLite: a connection pool of one writer thread and several reader threads, and the SQL they run.

mod begin_commit;
mod change;
mod codec;
mod connection;
pub(crate) mod database;
pub(crate) mod ddl;
mod error;
mod explain;
mod fetch;
mod file_identity;
mod group_commit;
mod interrupt;
mod pattern;
mod queue;
pub(crate) mod raw;
mod reader;
mod related;
mod row;
mod scan;
mod schema;
mod statement;
mod table_sql;
mod task;
mod transaction;
mod url;
mod violation;
mod writer;
