//! The reference application as a server in this process or as a process, and its accounts.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    clippy::unwrap_used,
    reason = "each test target uses a part of it, and a failed step is a failed test"
)]

mod accounts;
mod app;
mod process;

pub use accounts::{LOGIN, TEST_ADMIN, admin_token};
pub use app::BackendApp;
pub use process::Process;
