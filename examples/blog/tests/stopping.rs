//! Files of the blog's database after the blog has stopped.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use test_support::Process;

/// Returns the command that serves the database in a folder.
fn blog(address: &str, folder: &Path) -> Command {
    let database = format!("sqlite:{}", folder.join("blog.db").display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_blog"));
    command.args([address, &database]);
    command
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

/// LOAD-6: a program that is only `Api::run` leaves one file, with everything that was written.
#[tokio::test]
async fn a_stop_of_an_api_that_runs_leaves_one_file() {
    let folder = tempfile::TempDir::new().expect("a folder");
    for (signal, before) in [("TERM", 0), ("INT", 1)] {
        let mut process = Process::start(&mut blog("127.0.0.1:0", folder.path()));
        let users = process.client.get("/users").await.expect(200).json();
        assert_eq!(users.as_array().map(Vec::len), Some(before));
        let user = json!({"username": signal.to_lowercase()});
        process.client.post("/users", user).await.expect(201);
        assert!(names(folder.path()).len() > 1);
        process.signal(signal);
        let (status, log) = process.wait();
        assert!(status.success(), "{signal}: {log}");
        assert_eq!(names(folder.path()), ["blog.db"], "{signal}");
    }
}

/// LOAD-6: so does a start that fails because the address is in use.
#[test]
fn a_start_that_cannot_bind_its_address_leaves_one_file() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("a port").to_string();
    let output = blog(&address, folder.path()).output().expect("the blog runs");
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("cannot listen at"), "{message}");
    assert_eq!(names(folder.path()), ["blog.db"]);
}
