//! Limits.

use std::process::Command;
use std::time::{Duration, Instant};

use axum::Router;
use backend::security::UserSecurity;
use bytes::Bytes;
use http::Method;
use model_resource::Server;
use serde_json::{Value, json};
use test_support::{Log, Process, RawConnection, Response, TestApp, TestDatabase};
use tokio::net::TcpStream;

use crate::serve;
use crate::support::BackendApp;
use crate::support::accounts::admin_token;

const LIMIT: usize = 2 * 1024 * 1024;

/// Returns a contact submission whose body has exactly `bytes` bytes. The message is too long for its column.
fn body_of(bytes: usize) -> String {
    let empty = r#"{"contactSubmission": {"message": ""}}"#;
    empty.replace("\"\"", &format!("\"{}\"", "x".repeat(bytes - empty.len())))
}

/// LIM-1: a body of 2 MiB is accepted, and one byte more is a 413.
#[tokio::test]
async fn a_body_of_more_than_2_mib_is_a_413() {
    let app = BackendApp::start().await;
    for url in ["/api/v1/contact-submissions", "/api/v1/auth/login"] {
        let send = |bytes| {
            let body = Bytes::from(body_of(bytes));
            app.send(Method::POST, url, Some(("application/json", body)))
        };
        send(LIMIT).await.expect(400);
        let answer = send(LIMIT + 1).await.expect(413);
        assert!(answer.json()["message"].is_string());
    }
}

/// LIM-1: the limit also applies to a body without `Content-Length`, as soon as it is exceeded.
#[tokio::test]
async fn a_body_without_length_is_a_413_as_soon_as_it_is_too_large() {
    let app = BackendApp::start().await;
    let mut raw = RawConnection::connect(app.address).await;
    raw.send(format!(
        "POST /api/v1/categories HTTP/1.1\r\nHost: x\r\n{}Content-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        app.header_lines()
    ))
    .await
    .unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for _ in 0..LIMIT / 0x10000 + 1 {
        // The server may have responded and closed the connection already.
        if raw.send(&chunk).await.is_err() {
            break;
        }
    }
    let head = raw.read_head().await;
    assert!(head.starts_with("HTTP/1.1 413 "), "{head}");
    app.get("/api/v1/categories").await.expect_json(200, json!([]));
}

/// Returns a value nested to this depth.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |value, _| json!([value]))
}

/// LIM-2: 64 levels are accepted, and one more is a 400.
#[tokio::test]
async fn json_nested_deeper_than_64_levels_is_a_400() {
    let app = BackendApp::start().await;
    let mut sample = json!({
        "flag": true, "small": 1, "number": 2, "big": 3, "single": 0.5, "ratio": 0.25, "text": "t", "blob": "",
        "amount": "1.5", "day": "2024-02-29", "clock": "07:08:09", "moment": "2024-05-06T07:08:09Z",
        "token": "67e55044-10b1-426f-9247-bb680e5fe0c8", "extra": nested(63), "color": "red",
    });
    let created = app
        .post("/api/v1/samples", sample.clone())
        .await
        .expect(201)
        .json();
    assert_eq!(created["extra"], nested(63));
    let url = format!("/api/v1/samples/{}", created["id"].as_str().unwrap());
    sample["extra"] = nested(64);
    app.post("/api/v1/samples", sample.clone()).await.expect(400);
    app.put(&url, sample).await.expect(400);
    app.patch(&url, json!({"extra": nested(64)})).await.expect(400);
    app.get("/api/v1/samples")
        .await
        .expect_json(200, json!([created]));
    for levels in [64, 100] {
        let login = json!({"email": "a", "password": "b", "c": nested(levels)});
        app.post("/api/v1/auth/login", login).await.expect(400);
    }
}

/// LIM-3: a connection whose headers arrive too slowly is closed, without affecting others.
#[tokio::test]
async fn a_connection_whose_headers_do_not_arrive_in_time_is_ended() {
    let app = BackendApp::start_on(Server::default().header_timeout(Duration::from_millis(500))).await;
    let mut dribbling = RawConnection::connect(app.address).await;
    let mut silent = RawConnection::connect(app.address).await;
    let started = Instant::now();
    dribbling
        .send("GET /api/v1/categories HTTP/1.1\r\nHost: x\r\n")
        .await
        .unwrap();
    app.get("/api/v1/categories").await.expect(200);
    let dribble = async {
        for _ in 0..400 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            if dribbling.send("X: y\r\n").await.is_err() {
                break;
            }
        }
        dribbling.read_to_end().await
    };
    let (answer, nothing) = tokio::join!(dribble, silent.read_to_end());
    assert!(!answer.contains("200 OK"), "{answer}");
    assert_eq!(nothing, "");
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "{:?}",
        started.elapsed()
    );
    app.get("/api/v1/categories").await.expect(200);
}

/// LIM-3, ERR-15, LOAD-66: a write that waits for the database beyond the timeout is a 503, and is not applied
/// afterwards.
#[tokio::test]
async fn a_write_that_waited_too_long_for_the_database_is_a_503_and_is_not_applied_afterwards() {
    let database = TestDatabase::create();
    let store = backend::app::APPLICATION.open(&database.url()).await.unwrap();
    let token = admin_token(&store).await;
    let api = backend::app::api()
        .authenticator(UserSecurity::new())
        .timeout(Duration::from_millis(300))
        .store(store);
    let app = TestApp::with_router(&[], |_| api.init_app(Router::new())).await;
    let admin = app.with_token(&token);
    admin
        .post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = database.rows();
    let lock = database.lock(&["categories"]);
    admin
        .post("/api/v1/categories", json!({"name": "Go"}))
        .await
        .expect(503);
    admin
        .patch("/api/v1/categories/1", json!({"name": "Go"}))
        .await
        .expect(503);
    admin.delete("/api/v1/categories/1").await.expect(503);
    lock.release();
    let deadline = Instant::now() + Duration::from_secs(10);
    while app
        .post("/api/v1/tags", json!({"tag": {"name": "last"}}))
        .await
        .status
        != 201
    {
        assert!(Instant::now() < deadline, "nothing can be written any more");
    }
    let after: Vec<String> = database
        .rows()
        .into_iter()
        .filter(|row| !row.starts_with("tags:"))
        .collect();
    assert_eq!(after, before);
}

/// LIM-4: on either signal new connections are refused, the current request is finished, and the exit status is 0.
#[tokio::test]
async fn on_sigterm_and_sigint_the_current_request_is_finished() {
    for signal in ["TERM", "INT"] {
        let database = TestDatabase::create();
        let mut process = serve::start(&database);
        let admin = serve::admin(&process, &database.url()).await;
        admin.get("/healthz").await.expect(200);
        let mut raw = RawConnection::connect(process.address).await;
        let body = r#"{"name": "Rust"}"#;
        let (first, rest) = body.split_at(5);
        raw.send(format!(
            "POST /api/v1/categories HTTP/1.1\r\nHost: x\r\n{}Content-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{first}",
            admin.header_lines(),
            body.len()
        ))
        .await
        .unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        process.signal(signal);
        let deadline = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(process.address).await.is_ok() {
            assert!(Instant::now() < deadline, "new connections are still taken");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(
            process.child.try_wait().unwrap().is_none(),
            "the request is not waited for"
        );
        raw.send(rest).await.unwrap();
        let answer = raw.read_to_end().await;
        assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
        let answered = Instant::now();
        let (status, log) = process.wait();
        assert!(
            answered.elapsed() < Duration::from_secs(15),
            "an idle connection is waited for"
        );
        assert!(status.success(), "{status}: {log}");
        let name: String = database.value("SELECT name FROM categories");
        assert_eq!(name, "Rust");
    }
}

/// LOAD-20: a limit of open files that reduces the connections is one line of the log, with the number and the remedy.
#[test]
fn a_limit_of_open_files_that_reduces_the_connections_is_logged_once() {
    let database = TestDatabase::create();
    // The machine may permit fewer.
    let hard = Command::new("sh").args(["-c", "ulimit -H -n"]).output().unwrap();
    let hard = String::from_utf8(hard.stdout).unwrap();
    let files = hard.trim().parse().map_or(1000, |hard: u64| hard.min(1000));
    let mut limited = Command::new("sh");
    limited
        .args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_backend"))
        .args([
            "--listen=127.0.0.1:0",
            "--metrics-listen=127.0.0.1:0",
            "--grace-period=0",
        ])
        .args(["--database", &database.url()]);
    let mut process = Process::start(&mut limited);
    process.signal("INT");
    let (_, log) = process.wait();
    let warnings: Vec<_> = log.lines().filter(|line| line.contains("open files")).collect();
    assert_eq!(warnings.len(), 1, "{log}");
    for part in [
        "WARN",
        format!("files={files}").as_str(),
        format!("connections={}", files.saturating_sub(256).max(files / 2)).as_str(),
        "wanted=10000",
        "`ulimit -n`",
    ] {
        assert!(warnings[0].contains(part), "no {part} in {}", warnings[0]);
    }
}

/// LIM-5: every response has a request id: a new one, or the client's.
#[tokio::test]
async fn every_response_has_a_request_id() {
    let app = BackendApp::start().await;
    let mut answers: Vec<Response> = vec![
        app.get("/api/v1/categories").await.expect(200),
        app.post("/api/v1/categories", json!({"name": "Rust"}))
            .await
            .expect(201),
        app.head("/api/v1/categories/1").await.expect(200),
        app.options("/api/v1/categories").await.expect(204),
        app.delete("/api/v1/categories/1").await.expect(204),
        app.post("/api/v1/categories", json!({})).await.expect(400),
        app.anonymous
            .patch("/api/v1/auth/users/1", json!({}))
            .await
            .expect(401),
        app.get("/api/v1/nothing").await.expect(404),
        app.get("/elsewhere").await.expect(404),
        app.put("/api/v1/categories", json!({})).await.expect(405),
        app.get("/healthz").await.expect(200),
    ];
    let mut ids: Vec<&str> = answers
        .iter()
        .map(|answer| answer.header("x-request-id"))
        .collect();
    ids.sort_unstable();
    assert!(!ids.contains(&""), "{ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), answers.len(), "each id is given once");
    let named = app.with_header("x-request-id", "from-the-client_1.2");
    answers.push(named.get("/api/v1/categories").await);
    assert_eq!(
        answers.last().unwrap().header("x-request-id"),
        "from-the-client_1.2"
    );
    let nasty = app.with_header("x-request-id", "a b{}=\"fake\"");
    assert!(
        !nasty
            .get("/healthz")
            .await
            .header("x-request-id")
            .contains("fake")
    );
}

/// LIM-5: every log line of a request has its id, even if its list fails long after it began.
// The list continues while the table is renamed. On PostgreSQL the rename waits for the batch that is being read.
#[tokio::test(flavor = "multi_thread")]
async fn every_log_line_of_a_request_shows_its_id() {
    let log = Log::start();
    let app = BackendApp::start().await;
    let answer = app.get("/api/v1/categories").await.expect(200);
    let id = answer.header("x-request-id");
    assert!(!log.lines_with(id).is_empty());

    let text = "x".repeat(100_000);
    for number in 0..120 {
        let article = json!({"title": format!("Article {number}"), "body": text});
        app.post("/api/v1/articles", article).await.expect(201);
    }
    let mut raw = RawConnection::connect_narrow(app.address).await;
    raw.send(format!(
        "GET /api/v1/articles HTTP/1.1\r\nHost: x\r\n{}X-Request-Id: cut-off-4714\r\n\r\n",
        app.header_lines()
    ))
    .await
    .unwrap();
    assert!(raw.read_head().await.starts_with("HTTP/1.1 200 "));
    app.database().execute("ALTER TABLE articles RENAME TO gone");
    let received = raw.read_to_end().await;
    assert!(
        !received.ends_with("0\r\n\r\n"),
        "the list must not look complete"
    );
    let lines = log.lines_with("a list was cut off");
    assert!(
        lines.iter().all(|line| line.contains("request{")),
        "a line without request: {lines:?}"
    );
    assert!(
        lines.iter().any(|line| line.contains("cut-off-4714")),
        "no id in {lines:?}"
    );
}

/// LIM-6: `/healthz` is outside the prefix.
#[tokio::test]
async fn healthz_answers_200_outside_the_prefix() {
    let app = BackendApp::start().await;
    app.get("/healthz")
        .await
        .expect_json(200, json!({"status": "ok"}));
    app.get("/api/v1/healthz").await.expect(404);
}

/// REG-39: timeouts that overflow the clock work like any others.
#[tokio::test]
async fn timeouts_that_overflow_the_clock_are_accepted() {
    let server = Server::default()
        .header_timeout(Duration::MAX)
        .write_timeout(Duration::MAX)
        .shutdown_timeout(Duration::MAX);
    let app = BackendApp::start_on(server).await;
    app.get("/healthz").await.expect(200);
}
