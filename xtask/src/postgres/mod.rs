//! A PostgreSQL for the tests: the server that `TEST_POSTGRES_URL` names, or one that lives as long as they do.

mod install;
mod server;

pub(crate) use server::{Server, run};
