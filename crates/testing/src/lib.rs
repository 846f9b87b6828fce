#![doc = include_str!("../README.md")]

#[cfg(feature = "security")]
mod accounts;
mod app;
mod application;
mod builder;
mod callers;
mod client;
mod database;
mod environment;
mod json_difference;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_session;
mod response;
mod snapshot;
mod statements;
mod time_text;
mod transport;

pub use app::TestApp;
pub use application::TestApplication;
pub use builder::TestAppBuilder;
pub use client::TestClient;
pub use database::TemporaryDatabase;
#[cfg(feature = "postgres")]
pub use postgres_session::PostgresSession;
pub use response::TestResponse;
pub use snapshot::{assert_json_snapshot, assert_snapshot};
pub use statements::StatementCount;
