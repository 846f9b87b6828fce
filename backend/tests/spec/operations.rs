//! Operations.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_support::{Client, Process, Response, TestDatabase};

use crate::serve;
use crate::support::BackendApp;

/// Requests `/readyz` until it has this status. A result is used again for a second.
pub(crate) async fn readiness(client: &Client, status: u16) -> Response {
    let start = Instant::now();
    loop {
        let answer = client.get("/readyz").await;
        if answer.status.as_u16() == status || start.elapsed() > Duration::from_secs(20) {
            return answer.expect(status);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn checks(reads: &str, writes: &str, migrations: &str) -> Value {
    json!({"running": "ok", "reads": reads, "writes": writes, "migrations": migrations})
}

/// LOAD-40, LOAD-41: a process with its database is alive and ready.
#[tokio::test]
async fn a_process_with_its_database_is_alive_and_ready() {
    let app = BackendApp::start().await;
    app.anonymous
        .get("/healthz")
        .await
        .expect_json(200, json!({"status": "ok"}));
    app.anonymous
        .get("/readyz")
        .await
        .expect_json(200, json!({"status": "ok", "checks": checks("ok", "ok", "ok")}));
    app.get("/api/v1/readyz").await.expect(404);
}

/// LOAD-41: a migration that is not applied makes a process unready, and one of a newer program does not.
#[tokio::test]
async fn a_pending_migration_makes_a_process_unready() {
    let app = BackendApp::start().await;
    readiness(&app.anonymous, 200).await;
    let history = "model_resource_migrations";
    app.database()
        .execute(&format!("UPDATE {history} SET version = 1004 WHERE version = 4"));
    let answer = readiness(&app.anonymous, 503).await;
    assert_eq!(answer.header("retry-after"), "1");
    let expected = checks("ok", "ok", "migrations are pending");
    assert_eq!(
        answer.json(),
        json!({"status": "unavailable", "checks": expected})
    );
    app.get("/healthz").await.expect(200);
    app.database()
        .execute(&format!("UPDATE {history} SET version = 4 WHERE version = 1004"));
    readiness(&app.anonymous, 200).await;
    app.database().execute(&format!(
        "INSERT INTO {history} (version, name, checksum, applied_at) VALUES (1005, 'newer', '1', '')"
    ));
    tokio::time::sleep(Duration::from_millis(1200)).await;
    app.anonymous.get("/readyz").await.expect(200);
}

/// LOAD-40, LOAD-41: a process whose database is gone is alive and reads, but is not ready, and its answer shows no path.
#[tokio::test]
async fn a_process_without_its_database_is_alive_and_not_ready() {
    let database = TestDatabase::create();
    // A server that is away is in the tests of databases.
    if database.is_postgres() {
        return;
    }
    let process = serve::start(&database);
    readiness(&process.client, 200).await;
    let url = database.url();
    let file = Path::new(url.trim_start_matches("sqlite:"));
    let elsewhere = file.with_extension("elsewhere");
    std::fs::rename(file, &elsewhere).unwrap();
    let answer = readiness(&process.client, 503).await;
    assert_eq!(answer.header("retry-after"), "1");
    let expected = checks("ok", "the file was replaced or deleted", "ok");
    assert_eq!(answer.json()["checks"], expected);
    process.client.get("/api/v1/tags").await.expect(200);
    assert!(!answer.text().contains("test.db"));
    process.client.get("/healthz").await.expect(200);
    std::fs::rename(&elsewhere, file).unwrap();
    readiness(&process.client, 200).await;
}

/// LOAD-42: writes that wait for others leave a process ready, and the check does not wait for them.
#[tokio::test]
async fn writes_that_wait_for_others_leave_a_process_ready() {
    let app = BackendApp::start().await;
    let lock = app.database().lock(&["categories"]);
    let start = Instant::now();
    let write = app.post("/api/v1/categories", json!({"name": "Rust"}));
    let check = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        app.anonymous.get("/readyz").await.expect(200)
    };
    let (_, answer) = tokio::join!(
        async {
            let _ = tokio::time::timeout(Duration::from_secs(3), write).await;
        },
        check
    );
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(["ok", "busy"].contains(&answer.json()["checks"]["writes"].as_str().unwrap()));
    lock.release();
}

/// LOAD-41: a server that is stopping is not ready, although it still answers.
#[tokio::test]
async fn a_server_that_is_stopping_is_not_ready() {
    let database = TestDatabase::create();
    let mut command = serve::command(&database.url());
    let process = Process::start(command.args(["--grace-period", "30"]));
    readiness(&process.client, 200).await;
    process.signal("TERM");
    let answer = readiness(&process.client, 503).await;
    assert_eq!(answer.json()["checks"]["running"], "the server is stopping");
    process.client.get("/healthz").await.expect(200);
    process.client.get("/api/v1/tags").await.expect(200);
}

/// LOAD-40: a server goes on if its output cannot be written, and stops as usual.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_serves_without_its_output() {
    let database = TestDatabase::create();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
    command.args(["serve", "--database", &database.url(), "--grace-period", "0"]);
    command.args(["--listen", &address.to_string()]);
    let mut child = command.stdout(full).stderr(Stdio::null()).spawn().unwrap();
    while std::net::TcpStream::connect(address).is_err() {
        assert!(child.try_wait().unwrap().is_none(), "the server has ended");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Client::new(address).get("/healthz").await.expect(200);
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// LOAD-44: the log has the start, the migrations, the signal and the stop, in order and as objects.
#[tokio::test]
async fn the_log_has_the_start_the_migrations_and_the_stop() {
    let database = TestDatabase::create();
    let mut command = serve::command(&database.url());
    let mut process = Process::start(command.args(["--log-format", "json", "--grace-period", "0"]));
    process.client.get("/healthz").await.expect(200);
    process.signal("TERM");
    let (_, log) = process.wait();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let position = |message: &str| {
        let is_it = |line: &Value| line.to_string().contains(&format!("\"{message}\""));
        lines
            .iter()
            .position(is_it)
            .unwrap_or_else(|| panic!("no {message:?} in {log}"))
    };
    let positions = ["applied a migration", "started", "stopping", "stopped"].map(position);
    assert!(positions.is_sorted(), "{log}");
    let started = lines[positions[1]].to_string();
    for part in [
        env!("CARGO_PKG_VERSION"),
        &process.address.to_string(),
        "commit",
        "database",
    ] {
        assert!(started.contains(part), "no {part} in {started}");
    }
}
