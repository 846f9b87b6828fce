//! Requests that succeed and change no value.

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};
use test_support::{Client, Response, TestApp};

use super::{balance, keyed, served};

const ITEM: &str = "/accounts/1";
const NOBODY: &str = "/accounts?balance[gt]=1000";

/// Replaces the balance by a JSON Patch, which is applied to the row that was read.
async fn replace_balance(client: &Client, balance: i64) -> Response {
    let patch = json!([{"op": "replace", "path": "/balance", "value": balance}]);
    let body = Bytes::from(patch.to_string());
    let body = Some(("application/json-patch+json", body));
    client.send(Method::PATCH, ITEM, body).await
}

async fn merge(client: &Client, changes: Value) -> Response {
    let body = Some(("application/merge-patch+json", changes.to_string().into()));
    client.send(Method::PATCH, ITEM, body).await
}

/// Sends each request with a key of its own: those that change nothing, and two that change something once.
async fn send_all(app: &TestApp) -> Vec<Response> {
    let filtered =
        |key: &str| keyed(app, key).with_header("prefer", "max-affected=10, return=representation");
    vec![
        keyed(app, "same")
            .put(ITEM, json!({"name": "Ann", "balance": 100}))
            .await,
        replace_balance(&keyed(app, "same-patch"), 100).await,
        merge(&keyed(app, "same-merge"), json!({"balance": 100})).await,
        keyed(app, "empty").patch(ITEM, json!({})).await,
        filtered("nobody").patch(NOBODY, json!({"balance": 1})).await,
        filtered("delete").delete(NOBODY).await,
        keyed(app, "put")
            .put(ITEM, json!({"name": "Ann", "balance": 7}))
            .await,
        replace_balance(&keyed(app, "patch"), 8).await,
    ]
}

/// IDM-1: a write that changes no value, or changed it the first time only, is repeated as any other.
#[tokio::test]
async fn writes_that_change_no_value_are_repeated_as_well() {
    let app = served().await;
    let first = send_all(&app).await;
    let after_first = app.database().rows();
    let second = send_all(&app).await;
    for (number, (first, second)) in std::iter::zip(first, second).enumerate() {
        assert!(first.status.is_success(), "{number}: {first:?}");
        assert!(!first.headers.contains_key("idempotency-replayed"), "{number}");
        assert_eq!(second.header("idempotency-replayed"), "true", "{number}");
        assert_eq!(
            (first.status, &first.body),
            (second.status, &second.body),
            "{number}"
        );
        assert_eq!(first.headers.get("etag"), second.headers.get("etag"), "{number}");
    }
    assert_eq!(app.database().rows(), after_first);
}

/// IDM-1: a repetition does not overwrite a change that was made after the first request, although that changed nothing.
#[tokio::test]
async fn a_repetition_of_a_write_that_changed_nothing_keeps_the_changes_of_others() {
    let app = served().await;
    let put = json!({"name": "Ann", "balance": 100});
    let first = [
        keyed(&app, "put").put(ITEM, put.clone()).await,
        replace_balance(&keyed(&app, "patch"), 100).await,
    ];
    app.patch(ITEM, json!({"balance": 5})).await.expect(200);
    let second = [
        keyed(&app, "put").put(ITEM, put).await,
        replace_balance(&keyed(&app, "patch"), 100).await,
    ];
    for (first, second) in std::iter::zip(first, second) {
        assert_eq!(first.expect(200).json()["balance"], 100);
        assert_eq!(second.header("idempotency-replayed"), "true");
        assert_eq!(second.expect(200).json()["balance"], 100);
    }
    assert_eq!(balance(&app).await, 5);
}

/// IDM-2: also a request that would change nothing is rejected with the key of another one.
#[tokio::test]
async fn a_key_of_another_request_is_rejected_for_one_that_changes_nothing() {
    let app = served().await;
    let changing = json!({"name": "Ann", "balance": 7});
    keyed(&app, "1").put(ITEM, changing.clone()).await.expect(200);
    keyed(&app, "2").put(ITEM, changing).await.expect(200);
    app.patch(ITEM, json!({"balance": 8})).await.expect(200);
    let same = json!({"name": "Ann", "balance": 8});
    for key in ["1", "2"] {
        keyed(&app, key).put(ITEM, same.clone()).await.expect(422);
        replace_balance(&keyed(&app, key), 8).await.expect(422);
    }
    assert_eq!(balance(&app).await, 8);
}

/// IDM-2: a refused request is not remembered, also if the one before it has changed nothing.
#[tokio::test]
async fn a_key_is_free_after_a_refusal_and_taken_after_a_success() {
    let app = served().await;
    let client = keyed(&app, "1");
    client.put(ITEM, json!({"name": 1})).await.expect(400);
    let same = json!({"name": "Ann", "balance": 100});
    client.put(ITEM, same).await.expect(200);
    client.put(ITEM, json!({"name": "Bob"})).await.expect(422);
    app.delete(ITEM).await.expect(204);
    let again = client.put(ITEM, json!({"name": "Ann", "balance": 100})).await;
    assert_eq!(again.expect(200).header("idempotency-replayed"), "true");
}

/// IDM-1: a view that writes nothing runs once.
#[tokio::test]
async fn a_view_that_writes_nothing_is_repeated_as_well() {
    let app = served().await;
    let first = keyed(&app, "1").post("/ticket", json!({})).await.expect(200);
    let second = keyed(&app, "1").post("/ticket", json!({})).await.expect(200);
    assert_eq!(second.header("idempotency-replayed"), "true");
    assert_eq!(second.body, first.body);
    let other = keyed(&app, "2").post("/ticket", json!({})).await.expect(200);
    assert_ne!(other.body, first.body);
}
