//! `cargo xtask pooler`: tests behind PgBouncer, and measures what it costs.

mod pgbouncer;
mod run;

pub(crate) use run::{measure, run};
