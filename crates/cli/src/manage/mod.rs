//! The command line of an application, with the feature `manage`.

#[cfg(feature = "accounts")]
mod accounts;
mod app_command;
mod application;
#[cfg(feature = "audit")]
mod audit;
mod backup;
mod builder;
mod command_line;
mod completions;
mod configuration;
mod database;
mod explain;
mod limits;
mod log;
mod make_migration;
mod metrics;
mod migrate;
mod migration_answers;
mod openapi;
mod output;
mod program;
mod progress_bar;
mod question;
mod routes;
mod run;
mod schema;
mod serve;
mod setting_errors;
mod settings;
mod table;

pub use builder::Manage;
pub use database::OpenDatabase;
pub use log::start_log;
pub use progress_bar::ProgressBar;
pub use settings::Settings;
pub use table::aligned;
