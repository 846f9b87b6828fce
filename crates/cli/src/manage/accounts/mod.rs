//! `user ..`: accounts of `model-resource-security` from the command line.

mod commands;
mod new_account;
mod password;

pub(crate) use commands::AccountCommands;
