//! A PostgreSQL server for the tests: the one at `TEST_POSTGRES_URL`, or a private one that is stopped afterwards.

mod install;
mod server;

pub(crate) use server::{Databases, TestServer, provide_programs, run};
