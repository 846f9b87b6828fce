//! A real server on a real socket and a real database, and a client for it.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    clippy::unwrap_used,
    reason = "each test target uses a part of it, and a failed step is a failed test"
)]

mod accounts;
mod by_header;
mod client;
mod database;
mod lock;
mod log;
mod own_server;
mod postgres;
mod process;
mod raw;
mod rows;
mod server;
mod startup_errors;

pub use accounts::{LOGIN, TEST_ADMIN, admin_token};
pub use by_header::ByHeader;
pub use client::{Client, Response};
pub use database::Database;
pub use lock::Lock;
pub use log::Log;
pub use own_server::own_server;
pub use process::Process;
pub use raw::Raw;
pub use rows::{execute, rows, value};
pub use server::TestApp;
pub use startup_errors::startup_errors;
