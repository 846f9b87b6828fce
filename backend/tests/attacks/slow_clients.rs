//! Clients that read slowly, stall or disconnect.

use std::time::{Duration, Instant};

use model_resource::Server;
use serde_json::json;
use test_support::{Client, RawConnection, TestDatabase};

use crate::serve;
use crate::support::BackendApp;

/// Creates a list of articles that is larger than any socket buffer.
async fn long_list(client: &Client) {
    let body = "x".repeat(100_000);
    for number in 0..120 {
        let article = json!({"title": format!("Article {number}"), "body": body});
        client.post("/api/v1/articles", article).await.expect(201);
    }
}

/// Returns this client's request for the list.
fn get_articles(client: &Client) -> String {
    format!(
        "GET /api/v1/articles HTTP/1.1\r\nHost: x\r\n{}\r\n",
        client.header_lines()
    )
}

/// A slow reader is disconnected, without affecting others.
#[tokio::test]
async fn a_reader_of_one_byte_at_a_time_is_disconnected_and_others_are_unaffected() {
    let app = BackendApp::start_on(Server::default().write_timeout(Duration::from_secs(1))).await;
    long_list(&app).await;
    let whole = app.get("/api/v1/articles").await.expect(200).body.len();
    let mut slow = RawConnection::connect_narrow(app.address).await;
    slow.send(get_articles(&app)).await.unwrap();
    for _ in 0..20 {
        slow.read(1).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        let started = Instant::now();
        app.get("/api/v1/articles/1").await.expect(200);
        assert!(
            started.elapsed() < Duration::from_secs(8),
            "{:?}",
            started.elapsed()
        );
    }
    let received = slow.read_to_end().await;
    assert!(received.len() < whole, "the list was sent to its end");
    assert!(
        !received.ends_with("0\r\n\r\n"),
        "the list must not look complete"
    );
}

/// Clients that disconnect during a list leak nothing, and none of their writes is partial.
#[tokio::test(flavor = "multi_thread")]
async fn clients_that_disconnect_during_a_response_leak_nothing() {
    let app = BackendApp::start().await;
    long_list(&app).await;
    let whole = app.get("/api/v1/articles").await.expect(200).body;
    for round in 0..5 {
        // More than the connections to the database, or its reader threads.
        for _ in 0..20 {
            let mut gone = RawConnection::connect_narrow(app.address).await;
            gone.send(get_articles(&app)).await.unwrap();
            assert!(gone.read_head().await.starts_with("HTTP/1.1 200 "));
            gone.read(1000).await;
        }
        for number in 0..20 {
            let mut gone = RawConnection::connect(app.address).await;
            let body = format!(r#"{{"name": "Gone {round} {number}"}}"#);
            let head = "POST /api/v1/categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json";
            let (credential, length) = (app.header_lines(), body.len());
            gone.send(format!(
                "{head}\r\n{credential}Content-Length: {length}\r\n\r\n{body}"
            ))
            .await
            .unwrap();
        }
        assert_eq!(app.get("/api/v1/articles").await.expect(200).body, whole);
        let name = format!("Category {round}");
        app.post("/api/v1/categories", json!({"name": name}))
            .await
            .expect(201);
    }
    let categories = app.get("/api/v1/categories").await.expect(200).json();
    for category in categories.as_array().unwrap() {
        let url = format!("/api/v1/categories/{}", category["id"]);
        app.get(&url).await.expect_json(200, category.clone());
    }
}

/// Clients that stall in the middle of a request are disconnected, without affecting others.
#[tokio::test]
async fn slow_headers_are_timed_out_and_others_are_unaffected() {
    let app = BackendApp::start_on(Server::default().header_timeout(Duration::from_secs(1))).await;
    let mut slow = Vec::new();
    for _ in 0..200 {
        let mut raw = RawConnection::connect(app.address).await;
        raw.send("GET /api/v1/categories HTTP/1.1\r\nHos").await.unwrap();
        slow.push(raw);
    }
    let started = Instant::now();
    app.get("/api/v1/categories").await.expect(200);
    assert!(started.elapsed() < Duration::from_secs(8));
    for raw in &mut slow {
        let answer = raw.read_to_end().await;
        assert!(!answer.contains(" 200 "), "{answer}");
    }
    assert!(
        started.elapsed() < Duration::from_secs(8),
        "{:?}",
        started.elapsed()
    );
}

/// A signal does not interrupt a response that is being sent.
#[tokio::test]
async fn sigterm_during_a_slow_response_lets_it_finish_and_exits_with_0() {
    let database = TestDatabase::create();
    let mut process = serve::start(&database);
    let admin = serve::admin(&process, &database.url()).await;
    long_list(&admin).await;
    let mut slow = RawConnection::connect_narrow(process.address).await;
    slow.send(get_articles(&admin)).await.unwrap();
    assert!(slow.read_head().await.starts_with("HTTP/1.1 200 "));
    process.signal("TERM");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(
        process.child.try_wait().unwrap().is_none(),
        "the response is not waited for"
    );
    let rest = slow.read_to_end().await;
    assert!(rest.ends_with("]\r\n0\r\n\r\n"), "the list was cut off");
    let (status, log) = process.wait();
    assert_eq!(status.code(), Some(0), "{log}");
}
