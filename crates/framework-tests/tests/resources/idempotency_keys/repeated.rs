use http::Method;
use serde_json::json;
use test_support::Response;

use super::{keyed, served};

/// Checks that a response repeats another one.
#[track_caller]
fn assert_replayed(first: &Response, second: &Response) {
    assert!(!first.headers.contains_key("idempotency-replayed"));
    assert_eq!(second.header("idempotency-replayed"), "true");
    assert_eq!((first.status, &first.body), (second.status, &second.body));
    for name in ["content-type", "location", "etag", "vary"] {
        assert_eq!(first.headers.get(name), second.headers.get(name), "{name}");
    }
}

/// IDM-1
#[tokio::test]
async fn a_repeated_create_gets_the_same_response_and_writes_nothing() {
    let app = served().await;
    let client = keyed(&app, "8e03978e-40d5-43e8-bc93-6894a57f9324");
    let body = json!({"name": "Bob"});
    let first = client.post("/accounts", body.clone()).await;
    let second = client.post("/accounts", body.clone()).await;
    assert_eq!(first.status, 201);
    assert_replayed(&first, &second);
    assert_eq!(app.get("/accounts").await.json().as_array().unwrap().len(), 2);

    // A name that is taken is reported under another key.
    keyed(&app, "another").post("/accounts", body).await.expect(400);
}

/// IDM-1
#[tokio::test]
async fn repeated_changes_get_the_first_response_whatever_has_happened_since() {
    let app = served().await;
    let put = json!({"name": "Anna", "balance": 7});
    let first = keyed(&app, "put").put("/accounts/1", put.clone()).await;
    let patch = json!({"balance": 8});
    let patched = keyed(&app, "patch").patch("/accounts/1", patch.clone()).await;
    assert_eq!((first.status.as_u16(), patched.status.as_u16()), (200, 200));
    assert_replayed(&first, &keyed(&app, "put").put("/accounts/1", put.clone()).await);
    assert_eq!(app.get("/accounts/1").await.json()["balance"], 8);

    let deleted = keyed(&app, "delete").delete("/accounts/1").await;
    assert_eq!(deleted.status, 204);
    assert_replayed(&deleted, &keyed(&app, "delete").delete("/accounts/1").await);
    assert_replayed(&patched, &keyed(&app, "patch").patch("/accounts/1", patch).await);
    keyed(&app, "other").delete("/accounts/1").await.expect(404);
}

/// IDM-1, VSN-3
#[tokio::test]
async fn a_repeated_change_of_a_version_is_not_answered_with_412() {
    let app = served().await;
    let tag = app.get("/accounts/1").await.header("etag").to_owned();
    let client = keyed(&app, "1").with_header("if-match", &tag);
    let first = client.patch("/accounts/1", json!({"balance": 5})).await;
    assert_eq!(first.status, 200);
    assert_replayed(&first, &client.patch("/accounts/1", json!({"balance": 5})).await);
    let other = keyed(&app, "2").with_header("if-match", &tag);
    other
        .patch("/accounts/1", json!({"balance": 5}))
        .await
        .expect(412);
}

/// IDM-1
#[tokio::test]
async fn bulk_requests_imports_and_nested_urls_are_repeated_as_well() {
    let app = served().await;
    let bulk = json!([{"name": "B"}, {"name": "C"}]);
    let csv = || Some(("text/csv", "name,balance\r\nD,4\r\nE,5\r\n".into()));
    let patches = json!([{"id": 1, "balance": 1}, {"id": 2, "balance": 2}]);
    for is_repetition in [false, true] {
        let created = keyed(&app, "bulk").post("/accounts", bulk.clone()).await;
        assert_eq!(created.status, 201, "{created:?}");
        let imported = keyed(&app, "import").send(Method::POST, "/accounts", csv()).await;
        assert_eq!(imported.status, 201, "{imported:?}");
        let patched = keyed(&app, "patch").patch("/accounts", patches.clone()).await;
        assert_eq!(patched.status, 200, "{patched:?}");
        let paid = keyed(&app, "payment")
            .post("/accounts/2/payments", json!({"amount": 3}))
            .await;
        assert_eq!(paid.status, 201, "{paid:?}");
        assert_eq!(paid.json()["accountId"], 2);
        let deleted = keyed(&app, "delete").delete("/accounts?id=4&id=5").await;
        assert_eq!(deleted.status, 204, "{deleted:?}");
        for response in [created, imported, patched, paid, deleted] {
            let is_replayed = response.headers.contains_key("idempotency-replayed");
            assert_eq!(is_replayed, is_repetition);
        }
    }
    let accounts: i64 = app.database().value("SELECT count(*) FROM accounts");
    let payments: i64 = app.database().value("SELECT count(*) FROM payments");
    assert_eq!((accounts, payments), (3, 1));
}

/// IDM-1
#[tokio::test]
async fn a_bulk_request_that_is_rejected_writes_nothing() {
    let app = served().await;
    let before = app.database().rows();
    let bulk = json!([{"name": "B"}, {"name": "Ann"}]);
    keyed(&app, "1").post("/accounts", bulk).await.expect(400);
    assert_eq!(app.database().rows(), before);
    keyed(&app, "1")
        .post("/accounts", json!([{"name": "B"}]))
        .await
        .expect(201);
}

/// IDM-1
#[tokio::test]
async fn another_process_repeats_the_response() {
    let app = served().await;
    let first = keyed(&app, "1").post("/accounts", json!({"name": "Bob"})).await;
    let store = model_resource::Store::open(&app.database().url()).await.unwrap();
    let service = super::api().store(store.clone()).init_app(axum::Router::new());
    let other =
        test_support::TestApp::serve(app.database(), store, service, model_resource::Server::default()).await;
    let second = keyed(&other, "1").post("/accounts", json!({"name": "Bob"})).await;
    assert_replayed(&first, &second);
}

/// IDM-1
#[tokio::test]
async fn a_read_ignores_the_key() {
    let app = served().await;
    let client = keyed(&app, "1");
    client.get("/accounts/1").await.expect(200);
    client
        .patch("/accounts/1", json!({"balance": 9}))
        .await
        .expect(200);
    assert_eq!(client.get("/accounts/1").await.expect(200).json()["balance"], 9);
}
