//! The program `model-resource`, which writes applications, and the command line of applications of model-resource.
//!
//! The program is built with the default features. The command line is a library, with the feature `manage`.
//!
//! # Features
//!
//! None is enabled by default. Each of the others enables `manage`.
//!
//! | Feature | Adds |
//! |---|---|
//! | `manage` | `Manage`, the command line of applications |
//! | `sqlite` | SQLite |
//! | `postgres` | PostgreSQL |
//! | `tls` | TLS connections to PostgreSQL |
//! | `accounts` | `Manage::accounts`, for accounts of `model-resource-security` |
//! | `audit` | `Manage::audit`, for the access matrix of `model-resource-audit`; enables `sqlite` |
//!
#![cfg_attr(feature = "manage", doc = include_str!("../docs/manage.md"))]

mod failure;
#[cfg(feature = "manage")]
mod manage;
#[doc(hidden)]
pub mod scaffold;

pub use failure::Failure;
#[cfg(feature = "manage")]
pub use manage::{Manage, OpenDatabase, ProgressBar, Settings, aligned, start_log};
