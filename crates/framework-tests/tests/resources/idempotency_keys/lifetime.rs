use std::time::Duration;

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
