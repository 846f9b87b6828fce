//! The memory budget.

use std::time::{Duration, Instant};

use axum::extract::RawForm;
use axum::{Json, Router};
use bytes::Bytes;
use futures_util::StreamExt as _;
use http::Method;
use model_resource::{Api, Model, Server, ServerState, Store, model_resource, route};
use serde_json::{Value, json};
use test_support::{RawConnection, TestApp, TestDatabase};

use super::{start, until};

const BUDGET: usize = 1024 * 1024;

#[derive(Model)]
struct Report {
    #[column(primary_key)]
    id: i64,
    text: String,
}

#[model_resource(Report, "/reports", "/reports/<int:id>")]
struct ReportResource;

/// Serves 1,000 reports of 10 KB with a budget of 1 MiB.
async fn reports() -> (TestApp, ServerState) {
    reports_of(10_000, 1000).await
}

/// Serves reports of a length with a budget of 1 MiB.
async fn reports_of(length: usize, number: usize) -> (TestApp, ServerState) {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    let api = Api::new("reports").model_resource::<ReportResource>();
    store.create_tables(&api.tables()).await.unwrap();
    let server = Server::default().memory_budget(BUDGET);
    let state = server.state();
    let app = api.store(store.clone()).init_app(Router::new());
    let app = TestApp::serve(database, store, app, server).await;
    let text = "x".repeat(length);
    for _ in 0..number {
        app.post("/reports", json!({"text": text})).await.expect(201);
    }
    (app, state)
}

async fn ask(app: &TestApp, path: &str) -> RawConnection {
    let mut slow = RawConnection::connect_narrow(app.address).await;
    slow.send(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"))
        .await
        .unwrap();
    slow
}

/// LOAD-25: many readers of a long list share the budget, each gets smaller parts, and others are answered.
#[tokio::test(flavor = "multi_thread")]
async fn slow_readers_of_a_long_list_share_the_budget() {
    let (app, state) = reports().await;
    let mut slow = Vec::new();
    for _ in 0..24 {
        let mut reader = ask(&app, "/reports").await;
        assert!(reader.read_head().await.starts_with("HTTP/1.1 200 "));
        slow.push(reader);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let used = state.memory_in_use();
    assert!((100_000..=BUDGET).contains(&used), "{used}");
    let started = Instant::now();
    app.get("/reports/1").await.expect(200);
    let list = app.get("/reports").await.expect(200).json();
    assert_eq!(list.as_array().map(Vec::len), Some(1000));
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
    let all = slow.pop().unwrap().read_to_end_of_chunks().await;
    let all: Vec<Value> = serde_json::from_slice(&all).unwrap();
    assert_eq!(all.len(), 1000);
    drop(slow);
    until("the memory is free again", || state.memory_in_use() == 0).await;
}

/// LOAD-25: rows that are longer than a part of a list stay within the budget as well.
#[tokio::test(flavor = "multi_thread")]
async fn slow_readers_of_long_rows_stay_within_the_budget() {
    let (app, state) = reports_of(100_000, 40).await;
    let mut slow = Vec::new();
    for _ in 0..40 {
        slow.push(ask(&app, "/reports").await);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let used = state.memory_in_use();
    assert!((500_000..=BUDGET).contains(&used), "{used}");
    drop(slow);
    until("the memory is free again", || state.memory_in_use() == 0).await;
    let list = app.get("/reports").await.expect(200).json();
    assert_eq!(list.as_array().map(Vec::len), Some(40));
}

/// LOAD-25: a page for which there is no memory is a 503 with `Retry-After`, and is answered when there is some.
#[tokio::test(flavor = "multi_thread")]
async fn untaken_pages_are_bounded_and_others_get_a_503() {
    let (app, state) = reports().await;
    let page = "/reports?limit=50";
    let whole = app.get(page).await.expect(200).body.len();
    assert!(whole > 500_000);
    // More of the same page than the buffers of the system hold for one connection.
    let large = "GET /reports?limit=60&sort=id HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20);
    let mut untaken = Vec::new();
    for _ in 0..30 {
        let mut slow = RawConnection::connect_narrow(app.address).await;
        slow.send(large.as_bytes()).await.unwrap();
        untaken.push(slow);
    }
    until("some wait for memory or are refused", || {
        state.memory_waiting() > 0 || state.memory_refusals() > 0
    })
    .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let used = state.memory_in_use();
    assert!(used <= BUDGET, "{used}");
    app.get("/reports/1").await.expect(200);
    app.get("/reports?limit=2").await.expect(200);
    until("those that waited are refused", || state.memory_refusals() > 0).await;
    drop(untaken);
    until("the memory is free again", || state.memory_in_use() == 0).await;
    app.get(page).await.expect(200);
}

/// LOAD-25: a response that an application made in memory is counted until the client has taken it.
#[tokio::test(flavor = "multi_thread")]
async fn responses_of_an_application_are_counted_until_they_are_taken() {
    let server = Server::default().memory_budget(32 << 20);
    let state = server.state();
    let running = start(server).await;
    let mut untaken = Vec::new();
    let mut refused = 0;
    for _ in 0..5 {
        let mut connection = RawConnection::connect_narrow(running.address).await;
        connection
            .send("GET /megabytes HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .unwrap();
        let head = connection.read_head().await;
        if head.starts_with("HTTP/1.1 503 ") {
            assert!(
                head.contains("retry-after: 1") && head.contains("application/json"),
                "{head}"
            );
            refused += 1;
        } else {
            assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        }
        untaken.push(connection);
    }
    assert_eq!(refused, 3, "two of 8 MiB fit into five eighths of the budget");
    assert_eq!(state.memory_refusals(), 3);
    assert!(state.memory_in_use() <= 16 << 20, "{}", state.memory_in_use());
    assert_eq!(state.memory_budget(), 32 << 20);
    drop(untaken);
    until("the memory is free again", || state.memory_in_use() == 0).await;
}

/// LOAD-25: bodies that arrive slowly are counted, and do not keep small requests out.
#[tokio::test(flavor = "multi_thread")]
async fn slow_bodies_are_counted() {
    let (app, state) = reports().await;
    let mut slow = Vec::new();
    for _ in 0..20 {
        let mut connection = RawConnection::connect(app.address).await;
        let head = "POST /reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n";
        connection.send(head).await.unwrap();
        connection.send(vec![b' '; 100_000]).await.unwrap();
        slow.push(connection);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let used = state.memory_in_use();
    assert!((100_000..=BUDGET).contains(&used), "{used}");
    let created = app.post("/reports", json!({"text": "short"})).await.expect(201);
    assert_eq!(created.json()["text"], "short");
    drop(slow);
    until("the memory is free again", || state.memory_in_use() == 0).await;
}

#[route("/json", methods = [POST])]
async fn take_json(Json(sent): Json<Value>) -> String {
    sent.as_str().map_or(0, str::len).to_string()
}

#[route("/bytes", methods = [POST])]
async fn take_bytes(sent: Bytes) -> String {
    sent.len().to_string()
}

#[route("/form", methods = [POST])]
async fn take_form(RawForm(sent): RawForm) -> String {
    sent.len().to_string()
}

/// Streams the body, which is longer than the budget.
#[route("/stream", methods = [POST])]
async fn take_stream(sent: axum::body::Body) -> String {
    let frames = sent.into_data_stream();
    let lengths = frames.map(|frame| frame.map_or(0, |bytes| bytes.len()));
    lengths
        .fold(0, async |sum, length| sum + length)
        .await
        .to_string()
}

/// Serves views with extractors of axum with a budget of 1 MiB.
async fn views() -> (TestApp, ServerState) {
    let server = Server::default().memory_budget(BUDGET);
    let state = server.state();
    let api = Api::new("views")
        .body_limit(4 * BUDGET)
        .route(take_json)
        .route(take_bytes)
        .route(take_form)
        .route(take_stream);
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    let app = TestApp::serve(database, store, api.init_app(Router::new()), server).await;
    (app, state)
}

/// LOAD-25: bodies that extractors of axum read are counted like others: half-sent ones stay within the budget, and those
/// that get no memory in time are a 503 with `Retry-After`.
#[tokio::test(flavor = "multi_thread")]
async fn half_sent_bodies_for_extractors_stay_within_the_budget() {
    let (app, state) = views().await;
    for (path, media, framing) in [
        ("/json", "application/json", "Content-Length: 1000000"),
        ("/bytes", "text/plain", "Transfer-Encoding: chunked"),
        (
            "/form",
            "application/x-www-form-urlencoded",
            "Content-Length: 1000000",
        ),
    ] {
        let mut slow = Vec::new();
        for _ in 0..20 {
            let mut connection = RawConnection::connect(app.address).await;
            let head =
                format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {media}\r\n{framing}\r\n\r\n");
            connection.send(head).await.unwrap();
            if framing.ends_with("chunked") {
                connection.send("f4240\r\n").await.unwrap();
            }
            connection.send(vec![b' '; 100_000]).await.unwrap();
            slow.push(connection);
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        let used = state.memory_in_use();
        assert!((500_000..=BUDGET).contains(&used), "{path}: {used}");
        let short = Bytes::from_static(b"\"short\"");
        let answer = app.send(Method::POST, path, Some((media, short))).await;
        answer.expect(200);
        // The last ones have found no memory; the server waits for the clients of the first ones.
        let mut head = String::new();
        for connection in slow.iter_mut().rev() {
            let answer = tokio::time::timeout(Duration::from_secs(10), connection.read_head());
            if let Ok(answer) = answer.await {
                head = answer;
                break;
            }
        }
        assert!(head.starts_with("HTTP/1.1 503 "), "{path}: {head}");
        assert!(head.contains("retry-after: 1"), "{path}: {head}");
        drop(slow);
        until("the memory is free again", || state.memory_in_use() == 0).await;
    }
}

/// LOAD-25: what a handler streams need not fit into the memory budget.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_a_handler_streams_may_be_longer_than_the_budget() {
    let (app, state) = views().await;
    let long = Bytes::from(vec![b'x'; 3 * BUDGET]);
    let send = |path, body| app.send(Method::POST, path, Some(("text/plain", body)));
    assert_eq!(
        send("/stream", long.clone()).await.expect(200).text(),
        long.len().to_string()
    );
    let refused = send("/bytes", long).await.expect(503);
    assert_eq!(refused.header("retry-after"), "1");
    let fitting = Bytes::from(vec![b'x'; BUDGET / 2]);
    send("/bytes", fitting).await.expect(200);
    until("the memory is free again", || state.memory_in_use() == 0).await;
}

/// LOAD-25: the part of a body that arrives together with the head is counted once, as a part of the body.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_behind_its_head_is_counted_once() {
    let (app, state) = views().await;
    let mut connection = RawConnection::connect(app.address).await;
    for _ in 0..4 {
        // The second request and later ones arrive in a large buffer of the connection.
        let body = 9 * BUDGET / 16;
        let mut request =
            format!("POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: {body}\r\n\r\n").into_bytes();
        request.resize(request.len() + body, b' ');
        connection.send(request).await.unwrap();
        let head = connection.read_head().await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert_eq!(connection.read(6).await.len(), 6);
    }
    until("the memory is free again", || state.memory_in_use() == 0).await;
}
