//! SQLite: one thread that writes, a few that read, and the SQL they run.

mod alone;
mod bounds;
mod cell;
mod change;
mod connection;
pub(crate) mod database;
pub(crate) mod ddl;
mod explain;
mod fault;
mod fetch;
mod group;
mod identity;
mod interrupt;
mod location;
mod pattern;
mod queue;
mod reader;
mod related;
mod row;
mod scan;
mod schema;
mod statement;
mod task;
mod texts;
mod violation;
mod writer;
