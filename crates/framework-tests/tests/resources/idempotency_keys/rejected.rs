use serde_json::json;

use super::{balance, keyed, served};

/// IDM-2
#[tokio::test]
async fn a_key_of_another_request_is_rejected() {
    let app = served().await;
    let client = keyed(&app, "1");
    client.post("/accounts", json!({"name": "Bob"})).await.expect(201);
    let before = app.database().rows();
    let other_body = client.post("/accounts", json!({"name": "Eve"})).await;
    let other_url = client.post("/transfers", json!({"name": "Bob"})).await;
    let other_method = client.patch("/accounts/1", json!({"name": "Bob"})).await;
    let other_query = client.post("/accounts?fields=id", json!({"name": "Bob"})).await;
    let precondition = client.with_header("if-match", "*");
    let other_precondition = precondition.post("/accounts", json!({"name": "Bob"})).await;
    for response in [
        other_body,
        other_url,
        other_method,
        other_query,
        other_precondition,
    ] {
        let message = response.expect(422).json()["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(message.contains("another request"), "{message}");
    }
    assert_eq!(app.database().rows(), before);
}

/// IDM-2
#[tokio::test]
async fn a_refused_request_is_not_remembered() {
    let app = served().await;
    let client = keyed(&app, "1");
    client.post("/accounts", json!({})).await.expect(400);
    client.post("/accounts", json!({"name": "Ann"})).await.expect(400);
    client
        .patch("/accounts/9", json!({"balance": 1}))
        .await
        .expect(404);
    client.post("/accounts", json!({"name": "Bob"})).await.expect(201);
}

/// IDM-2
#[tokio::test]
async fn an_invalid_key_is_rejected_and_nothing_is_written() {
    let app = served().await;
    let before = app.database().rows();
    for key in ["", "two words", &"k".repeat(65), "caf\u{e9}"] {
        let response = keyed(&app, key).patch("/accounts/1", json!({"balance": 5})).await;
        let message = response.expect(400).json()["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(message.contains("Idempotency-Key"), "{message}");
    }
    let two = keyed(&keyed(&app, "1"), "2");
    two.patch("/accounts/1", json!({"balance": 5})).await.expect(400);
    assert_eq!(app.database().rows(), before);
}

/// IDM-3
#[tokio::test]
async fn a_resource_can_require_keys() {
    let app = served().await;
    let refused = app.post("/accounts/1/payments", json!({"amount": 3})).await;
    let message = refused.expect(400).json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("Idempotency-Key"), "{message}");
    let client = keyed(&app, "1");
    client
        .post("/accounts/1/payments", json!({"amount": 3}))
        .await
        .expect(201);
    app.patch("/payments/1", json!({"amount": 4})).await.expect(400);
    app.delete("/payments/1").await.expect(400);
    app.get("/payments/1").await.expect(200);
    assert_eq!(balance(&app).await, 100);
}
