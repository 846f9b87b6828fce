use std::time::{Duration, Instant};

use axum::Router;
use model_resource::{Server, Store};
use serde_json::json;
use test_support::TestApp;

use super::{api, balance, keyed, served};

const STORED: &str = "SELECT count(*) FROM model_resource_responses";

/// IDM-8
#[tokio::test]
async fn a_key_can_be_used_again_after_its_lifetime() {
    let app = TestApp::with_api(api().idempotency_key_lifetime(Duration::from_secs(1))).await;
    app.post("/accounts", json!({"name": "Ann", "balance": 100}))
        .await
        .expect(201);
    let client = keyed(&app, "1");
    client.post("/deposit/plain", json!({})).await.expect(200);
    tokio::time::sleep(Duration::from_millis(2_100)).await;
    let again = client.post("/deposit/plain", json!({})).await.expect(200);
    assert_eq!(again.json(), json!({"balance": 102}));
    assert_eq!(balance(&app).await, 102);
}

/// IDM-8
#[tokio::test]
async fn expired_responses_are_removed_in_small_steps() {
    let app = served().await;
    for number in 0..25 {
        let client = keyed(&app, &number.to_string());
        client.post("/deposit/plain", json!({})).await.expect(200);
    }
    assert_eq!(app.store.sweep_responses(10).await.unwrap(), 0);
    app.database()
        .execute("UPDATE model_resource_responses SET expires = 1");
    for removed in [10, 10, 5, 0] {
        assert_eq!(app.store.sweep_responses(10).await.unwrap(), removed);
    }
    assert_eq!(app.database().value::<i64>(STORED), 0);
}

/// IDM-8: a process that answers requests with keys removes the responses that have expired.
#[tokio::test]
async fn a_write_with_a_key_removes_expired_responses() {
    let app = served().await;
    for key in ["1", "2"] {
        keyed(&app, key)
            .post("/deposit/plain", json!({}))
            .await
            .expect(200);
    }
    app.database()
        .execute("UPDATE model_resource_responses SET expires = 1");
    // Another process, since one removes them from time to time only.
    let store = Store::open(&app.database().url()).await.unwrap();
    let service = api().store(store.clone()).init_app(Router::new());
    let other = TestApp::serve(app.database(), store, service, Server::default()).await;
    keyed(&other, "3")
        .post("/deposit/plain", json!({}))
        .await
        .expect(200);
    let begin = Instant::now();
    while app.database().value::<i64>(STORED) > 1 {
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "the responses are still there"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
