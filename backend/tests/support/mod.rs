//! The reference application in this process, and its accounts.

pub(crate) mod accounts;
mod app;

pub(crate) use app::BackendApp;
