//! `backend serve` as a process.

use std::process::Command;

use model_resource::Store;
use test_support::{Client, Process, TestDatabase};

use crate::support::accounts::admin_token;

/// Returns the command that serves the database at a URL on a free port.
pub(crate) fn command(url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--database", url])
        .env("BACKEND_LOG", "info")
        // Tests of other things write as much as they need from one address.
        .env("BACKEND_ANONYMOUS_WRITES_PER_MINUTE", "0");
    command
}

/// Starts the program on a database.
pub(crate) fn start(database: &TestDatabase) -> Process {
    Process::start(&mut command(&database.url()))
}

/// Returns a client of the program with the token of an admin, who is stored in the database at a URL.
pub(crate) async fn admin(process: &Process, url: &str) -> Client {
    let store = Store::open(url).await.unwrap();
    process.client.with_token(&admin_token(&store).await)
}
