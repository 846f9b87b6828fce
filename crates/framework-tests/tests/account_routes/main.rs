//! The routes of accounts, for a model with other columns, another key and other places of roles than those of `backend`.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod batched_reads;
mod beside_searches;
mod checks;
mod choices;
mod credentials;
mod limits;
mod readers;
mod roles;
mod routes;
mod shared_security;
mod startup_errors;
