//! Helpers of the tests: a server on a real socket and a temporary database, and clients for it.
//!
//! ```no_run
//! # use model_resource::Api;
//! # use test_support::TestApp;
//! # async fn test(api: Api) {
//! let app = TestApp::with_api(api).await;
//! let before = app.database().rows();
//! app.get("/notes/1").await.expect(404);
//! assert_eq!(app.database().rows(), before);
//! # }
//! ```
//!
//! The tests run on SQLite files, or on PostgreSQL with `TEST_DATABASE=postgres`, on the databases of the test kit
//! (`model-resource-testing`), which applications use. This crate adds what only tests of the framework need. Every
//! function panics on failure, because a failed step is a failed test.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod app;
mod client;
mod database;
mod dedicated_server;
mod endless_searches;
mod header_authenticator;
mod log;
mod postgres;
mod process;
mod raw_connection;
mod source_lines;
mod sqlite;
mod startup_errors;
mod write_lock;

pub use app::ServedApp as TestApp;
pub use client::{Client, Response};
pub use database::TestDatabase;
pub use dedicated_server::{dedicated_server, dedicated_server_with};
pub use endless_searches::EndlessSearches;
pub use header_authenticator::HeaderAuthenticator;
pub use log::Log;
pub use model_resource_testing as kit;
pub use private_postgres::ClusterSettings;
pub use process::Process;
pub use raw_connection::RawConnection;
pub use source_lines::assert_lines_of_readme;
pub use startup_errors::startup_errors;
pub use write_lock::WriteLock;
