//! The secret of cursors: in the database, or given to the program.

use std::process::Command;

use serde_json::json;
use test_support::{Client, Process, TestDatabase};

use crate::serve;

const TAGS: &str = "/api/v1/tags";

/// Adds three tags.
async fn add_tags(client: &Client) {
    for name in ["a", "b", "c"] {
        client
            .post(TAGS, json!({"tag": {"name": name}}))
            .await
            .expect(201);
    }
}

/// Returns the URL of the second page of tags.
async fn second_page(client: &Client) -> String {
    let page = client.get(&format!("{TAGS}?cursor=&limit=2")).await.expect(200);
    let links = page.header("link").to_owned();
    let next = links
        .split(", <")
        .find(|link| link.contains("rel=\"next\""))
        .unwrap();
    let (_, cursor) = next.split_once("cursor=").unwrap();
    let cursor = cursor.split(['&', '>']).next().unwrap();
    format!("{TAGS}?cursor={cursor}&limit=2")
}

/// LOAD-80: processes that start at once on an empty database accept each other's cursors, also after a restart.
#[tokio::test(flavor = "multi_thread")]
async fn cursors_are_valid_in_every_process_and_after_a_restart() {
    let database = TestDatabase::create();
    let starts: Vec<_> = (0..3)
        .map(|_| {
            let database = database.clone();
            tokio::task::spawn_blocking(move || serve::start(&database))
        })
        .collect();
    let mut processes = Vec::new();
    for start in starts {
        processes.push(start.await.unwrap());
    }
    add_tags(&processes[0].client).await;
    let url = second_page(&processes[0].client).await;
    for process in &processes {
        process.client.get(&url).await.expect(200);
    }
    drop(processes);
    let restarted = serve::start(&database);
    restarted.client.get(&url).await.expect(200);
    let rows: u32 = database.value("SELECT count(*) FROM model_resource_secrets");
    assert_eq!(rows, 1);
}

/// LOAD-80: a given secret replaces that of the database, is not printed, and must not be short.
#[tokio::test]
async fn a_given_secret_replaces_that_of_the_database() {
    let database = TestDatabase::create();
    let first = serve::start(&database);
    add_tags(&first.client).await;
    let url = second_page(&first.client).await;
    let with_secret = |secret: &str| {
        let mut command = serve::command(&database.url());
        command.env("BACKEND_CURSOR_SECRET", secret);
        command
    };
    let given = Process::start(&mut with_secret("a secret of our own"));
    given.client.get(&url).await.expect(400);
    let url = second_page(&given.client).await;
    let equal = Process::start(&mut with_secret("a secret of our own"));
    equal.client.get(&url).await.expect(200);

    let short = with_secret("too-short").output().unwrap();
    let message = String::from_utf8_lossy(&short.stderr).into_owned();
    assert!(
        !short.status.success() && message.contains("at least 16 characters"),
        "{message}"
    );
    let printed = Command::new(env!("CARGO_BIN_EXE_backend"))
        .arg("config")
        .env("BACKEND_CURSOR_SECRET", "a secret of our own")
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(
        printed.contains("cursor_secret = \"..\"") && !printed.contains("of our own"),
        "{printed}"
    );
}

/// LOAD-81: without the table, a program that does not migrate warns, and its cursors are valid in its process.
#[tokio::test]
async fn without_migrations_and_a_secret_cursors_are_valid_in_one_process() {
    let database = TestDatabase::create();
    drop(serve::start(&database));
    database.execute("DROP TABLE model_resource_secrets");
    let start = || Process::start(serve::command(&database.url()).args(["--no-migrate", "--grace-period=0"]));
    let (mut one, other) = (start(), start());
    add_tags(&one.client).await;
    let url = second_page(&one.client).await;
    one.client.get(&url).await.expect(200);
    other.client.get(&url).await.expect(400);
    one.signal("TERM");
    let (_, log) = one.wait();
    assert!(
        log.contains("cursors of lists are valid in this process only"),
        "{log}"
    );

    let migrating = serve::start(&database);
    let url = second_page(&migrating.client).await;
    start().client.get(&url).await.expect(200);
}
