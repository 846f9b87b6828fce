//! `user ..`: accounts of `model-resource-security` from the command line.

mod builder;
mod changes;
mod commands;
mod password;

pub use builder::Accounts;
