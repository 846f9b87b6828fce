//! PostgreSQL: a few connections that all reads share, pools of them for writes and for transactions, and the SQL they run.

mod advisory_lock;
mod alone;
mod attempt;
mod cell;
mod change;
pub(crate) mod database;
pub(crate) mod ddl;
mod explain;
mod fault;
mod fetch;
mod given_up;
mod link;
mod links;
mod location;
mod numeric;
mod pool;
mod pooled;
mod related;
mod row;
mod scan;
mod schema;
mod session;
mod statement;
mod texts;
mod tls;
mod violation;
