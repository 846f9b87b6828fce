//! The command line of applications of model-resource.
//!
//! The commands serve the api, apply migrations, create accounts, and print routes, tables, query plans and settings.
//! The application passes a function that returns its api:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use model_resource::{Api, Model, model_resource};
//! use model_resource_cli::manage;
//!
//! #[derive(Model)]
//! struct Book {
//!     #[column(primary_key)]
//!     id: i64,
//!     title: String,
//! }
//!
//! #[model_resource(Book, "/books", "/books/<int:id>")]
//! struct BookResource;
//!
//! fn api() -> Api {
//!     Api::new("library").prefix("/api/v1").model_resource::<BookResource>()
//! }
//!
//! #[tokio::main]
//! async fn main() -> ExitCode {
//!     manage!(api).run().await
//! }
//! ```
//!
//! | Command | Effect |
//! |---|---|
//! | `serve`, or none | applies pending migrations and serves the api |
//! | `migrate` | applies pending migrations, reverts migrations, or reports them; see [`Manage::migrations`] |
//! | `make-migration NAME` | writes the SQL by which the models differ from the migrations |
//! | `config` | prints the effective settings, and the source of each |
//! | `routes` | prints every URL, method, operation, handler and decorator |
//! | `audit [--markdown]` | prints who gets which status at which URL; see `Manage::audit`, feature `audit` |
//! | `openapi [--as ROLE]` | prints the OpenAPI document |
//! | `backup FILE` | copies a SQLite database while it is in use |
//! | `schema [--dialect ..]` | prints the SQL of the models' tables |
//! | `explain URL` | prints the SQL and the query plan of a list |
//! | `seed` | fills the database with demo data; see [`Manage::seed`] |
//! | `user ..` | creates and changes accounts; see `Manage::accounts`, feature `accounts` |
//! | `completions SHELL` | prints the script by which a shell completes commands and options |
//!
//! [`Manage::command`] and [`Manage::database_command`] add others. A [`Manage`] also opens the application for tests:
//! [`Manage::open`] and [`Manage::service`].
//!
//! # Features
//!
//! | Feature | Adds |
//! |---|---|
//! | `sqlite` | SQLite; enabled by default |
//! | `postgres` | PostgreSQL |
//! | `tls` | TLS connections to PostgreSQL |
//! | `accounts` | `Manage::accounts`, for accounts of `model-resource-security` |
//! | `audit` | `Manage::audit`, for the access matrix of `model-resource-audit` |

#[cfg(feature = "accounts")]
mod accounts;
mod app_command;
mod application;
#[cfg(feature = "audit")]
mod audit;
mod backup;
mod command_line;
mod completions;
mod configuration;
mod database;
mod explain;
mod failure;
mod log;
mod make_migration;
mod manage;
mod metrics;
mod migrate;
mod migration_answers;
mod openapi;
mod output;
mod program;
mod question;
mod routes;
mod run;
#[doc(hidden)]
pub mod scaffold;
mod schema;
mod serve;
mod setting_errors;
mod settings;
mod table;

pub use database::OpenDatabase;
pub use failure::Failure;
pub use log::start_log;
pub use manage::Manage;
pub use settings::Settings;
pub use table::aligned;
