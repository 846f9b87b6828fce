use serde_json::json;

use super::{balance, keyed, served};

/// IDM-4
#[tokio::test]
async fn the_writes_of_a_handler_are_repeated_as_one() {
    let app = served().await;
    let payment = json!({"accountId": 1, "amount": 5});
    for _ in 0..3 {
        let paid = keyed(&app, "1")
            .post("/transfers", payment.clone())
            .await
            .expect(201);
        assert_eq!(paid.json()["id"], 1);
    }
    assert_eq!(balance(&app).await, 105);

    let refused = json!({"accountId": 1, "amount": -500});
    let before = app.database().rows();
    keyed(&app, "2").post("/transfers", refused).await.expect(409);
    assert_eq!(app.database().rows(), before);
    keyed(&app, "2").post("/transfers", payment).await.expect(201);
    assert_eq!(balance(&app).await, 110);
}

/// IDM-4
#[tokio::test]
async fn the_writes_of_a_view_are_repeated_as_one() {
    let app = served().await;
    for _ in 0..3 {
        let response = keyed(&app, "1")
            .post("/deposit/plain", json!({}))
            .await
            .expect(200);
        assert_eq!(response.json(), json!({"balance": 101}));
    }
    assert_eq!(balance(&app).await, 101);
}

/// IDM-4
#[tokio::test]
async fn a_refusal_that_has_written_is_remembered() {
    let app = served().await;
    for _ in 0..2 {
        let response = keyed(&app, "1").post("/deposit/refused", json!({})).await;
        assert_eq!(response.expect(402).json(), json!({"balance": 101}));
    }
    assert_eq!(balance(&app).await, 101);
}

/// IDM-4
#[tokio::test]
async fn a_handler_that_fails_writes_nothing_and_is_not_remembered() {
    let app = served().await;
    let before = app.database().rows();
    for (kind, status) in [("failed", 409), ("broken", 502)] {
        let url = format!("/deposit/{kind}");
        for _ in 0..2 {
            keyed(&app, kind).post(&url, json!({})).await.expect(status);
        }
        assert_eq!(app.database().rows(), before, "{kind}");
    }
}

/// IDM-5
#[tokio::test]
async fn a_response_that_may_contain_a_secret_is_not_stored() {
    let app = served().await;
    for kind in ["cookie", "secret"] {
        let url = format!("/deposit/{kind}");
        keyed(&app, kind).post(&url, json!({})).await.expect(200);
        let again = keyed(&app, kind).post(&url, json!({})).await.expect(200);
        assert!(!again.headers.contains_key("idempotency-replayed"));
    }
    let stored: i64 = app
        .database()
        .value("SELECT count(*) FROM model_resource_responses");
    assert_eq!(stored, 0);
    assert_eq!(balance(&app).await, 104);
}

/// IDM-5
#[tokio::test]
async fn the_body_of_a_large_response_is_not_repeated() {
    let app = served().await;
    let first = keyed(&app, "1")
        .post("/deposit/large", json!({}))
        .await
        .expect(200);
    assert!(first.body.len() > 300_000);
    assert_eq!(first.json()["balance"], 101);
    let second = keyed(&app, "1")
        .post("/deposit/large", json!({}))
        .await
        .expect(200);
    assert_eq!(second.header("idempotency-replayed"), "true");
    assert_eq!(second.header("preference-applied"), "return=minimal");
    assert!(second.body.is_empty());
    assert_eq!(balance(&app).await, 101);
}
