//! Failures of the service itself.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::BackendApp;

/// ERR-12: while another program locks the database, writes are a 503 with `Retry-After`. Afterwards they succeed
/// again.
#[tokio::test]
async fn while_the_database_cannot_be_written_a_request_is_a_503_with_retry_after() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = app.database().rows();
    let lock = app.database().lock(&["categories"]);
    let started = Instant::now();
    let (created, patched, deleted) = tokio::join!(
        app.post("/api/v1/categories", json!({"name": "Go"})),
        app.patch("/api/v1/categories/1", json!({"name": "Go"})),
        app.delete("/api/v1/categories/1"),
    );
    assert!(started.elapsed() < Duration::from_secs(15), "the wait has an end");
    for answer in [created, patched, deleted] {
        let answer = answer.expect(503);
        assert!(answer.header("retry-after").parse::<u32>().unwrap() > 0);
        assert!(answer.json()["message"].is_string());
        assert!(!answer.text().contains("locked"), "{}", answer.text());
    }
    assert_eq!(
        app.get("/api/v1/categories").await.expect(200).json()[0]["name"],
        "Rust"
    );
    lock.release();
    assert_eq!(app.database().rows(), before, "nothing is written afterwards");
    app.post("/api/v1/categories", json!({"name": "Go"}))
        .await
        .expect(201);
}
