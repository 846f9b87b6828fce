use serde_json::json;

use super::{keyed, served};

/// A UUID of version 7.
const KEY_BY_TIME: &str = "01934a5b-6c7d-7e8f-9a0b-1c2d3e4f5061";

/// IDM-6
#[tokio::test]
async fn the_keys_of_callers_are_their_own() {
    check_keys_of_callers("key").await;
    check_keys_of_callers(KEY_BY_TIME).await;
}

async fn check_keys_of_callers(key: &str) {
    let app = served().await;
    let body = json!({"name": "Bob"});
    let ann = keyed(&app.as_caller("1"), key);
    let first = ann.post("/accounts", body.clone()).await.expect(201);
    for other in [
        app.as_caller("2"),
        app.as_caller("2 admin"),
        app.anonymous.clone(),
    ] {
        let other = keyed(&other, key);
        // As with any new key: the name is taken.
        let taken = other.post("/accounts", body.clone()).await.expect(400);
        let other_request = other
            .patch("/accounts/99", json!({"balance": 1}))
            .await
            .expect(404);
        for response in [taken, other_request] {
            assert!(!response.headers.contains_key("idempotency-replayed"));
        }
    }
    let again = keyed(&app.as_caller("1 admin"), key)
        .post("/accounts", body)
        .await;
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("idempotency-replayed"), "true");
}

/// IDM-6
#[tokio::test]
async fn the_database_contains_neither_keys_nor_requests() {
    let app = served().await;
    let body = json!({"name": "Bob", "balance": 4});
    keyed(&app, "a-key-of-this-client")
        .post("/accounts", body.clone())
        .await
        .expect(201);
    let digests = "SELECT count(*) FROM model_resource_responses WHERE length(request) = 16";
    assert_eq!(app.database().value::<i64>(digests), 1);
    let rows = app.database().rows().join("\n");
    assert!(!rows.contains("a-key-of-this-client"), "{rows}");
}

/// IDM-6: the id of a UUID of version 7 begins with its time, and nothing else of it is stored.
#[tokio::test]
async fn the_ids_of_keys_by_time_are_in_their_order() {
    let app = served().await;
    keyed(&app, KEY_BY_TIME)
        .post("/accounts", json!({"name": "Bob"}))
        .await
        .expect(201);
    let id = if app.database().is_postgres() {
        "replace(id::text, '-', '')"
    } else {
        "lower(hex(id))"
    };
    let id: String = app
        .database()
        .value(&format!("SELECT {id} FROM model_resource_responses"));
    let key = KEY_BY_TIME.replace('-', "");
    assert_eq!(id[..12], key[..12]);
    assert_ne!(id[12..], key[12..]);
}
