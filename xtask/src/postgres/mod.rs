//! A PostgreSQL for the tests: the server that `TEST_POSTGRES_URL` names, or one that lives as long as they do.

mod account;
mod cluster;
mod guard;
mod install;
mod programs;
mod server;

pub(crate) use cluster::Purpose;
pub(crate) use server::{Server, run};
