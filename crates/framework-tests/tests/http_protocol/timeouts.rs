//! Timeouts of requests.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Method;
use model_resource::{Api, Context, Reply, Result, route};
use serde_json::json;
use test_support::{RawConnection, TestApp};

#[route("/slow", methods = [GET, POST])]
async fn slow(cx: Context) -> Result<Reply> {
    if cx.query("sleep").is_some() {
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
    let body = cx.body().await?;
    Reply::json(&json!({"read": body.len()}))
}

/// LIM-3: a handler or a body that takes longer than the timeout is a 408.
#[tokio::test]
async fn a_request_that_takes_longer_than_the_time_limit_is_a_408() {
    let api = Api::new("slow").timeout(Duration::from_millis(300)).route(slow);
    let app = TestApp::with_api(api).await;
    let started = Instant::now();
    let answer = app.get("/slow?sleep=1").await.expect(408);
    assert!(answer.json()["message"].is_string());
    let mut raw = RawConnection::connect(app.address).await;
    raw.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
        .await
        .unwrap();
    let head = raw.read_head().await;
    assert!(head.starts_with("HTTP/1.1 408 "), "{head}");
    assert!(started.elapsed() < Duration::from_secs(20));
    app.send(Method::POST, "/slow", Some(("", Bytes::from("12345"))))
        .await
        .expect_json(200, json!({"read": 5}));
}

/// END-14: a client that waits for a shorter time is answered within it, and learns that.
#[tokio::test]
async fn a_client_can_wait_for_a_shorter_time() {
    let api = Api::new("slow").timeout(Duration::from_secs(30)).route(slow);
    let app = TestApp::with_api(api).await;
    let hurried = app.with_header("prefer", "respond-async, wait=1");
    let started = Instant::now();
    let response = hurried.get("/slow?sleep=1").await.expect(408);
    assert!(started.elapsed() < Duration::from_secs(8));
    assert_eq!(response.header("preference-applied"), "wait=1");
    let response = hurried.get("/slow").await.expect(200);
    assert_eq!(response.header("preference-applied"), "wait=1");
    for ignored in ["wait", "wait=0", "wait=-1", "wait=soon"] {
        let response = app.with_header("prefer", ignored).get("/slow").await.expect(200);
        assert_eq!(response.header("preference-applied"), "", "{ignored}");
    }
}

/// END-14: the time of the api is not extended.
#[tokio::test]
async fn a_client_cannot_wait_for_longer_than_the_time_limit() {
    let api = Api::new("slow").timeout(Duration::from_millis(300)).route(slow);
    let app = TestApp::with_api(api).await;
    let started = Instant::now();
    app.with_header("prefer", "wait=1000")
        .get("/slow?sleep=1")
        .await
        .expect(408);
    assert!(started.elapsed() < Duration::from_secs(8));
}
