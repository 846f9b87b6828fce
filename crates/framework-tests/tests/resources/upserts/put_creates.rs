//! PUT of an object that does not exist.

use model_resource::{ApiHandle, Change, Result};
use serde_json::json;
use test_support::TestApp;

use super::{Heard, Setting, api, guarded_shop, shop};

/// UPS-1: put creates the object with the key of its URL, and then replaces it.
#[tokio::test]
async fn put_creates_an_object_that_does_not_exist() {
    let app = shop().await;
    let created = app
        .put("/settings/color", json!({"value": "red", "ownerId": 3}))
        .await;
    let created = created.expect(201);
    assert_eq!(created.header("location"), "/settings/color");
    let expected = json!({"key": "color", "value": "red", "ownerId": 3, "version": 1});
    assert_eq!(created.json(), expected);
    let shown = app.get("/settings/color").await.expect(200);
    assert_eq!(shown.header("etag"), created.header("etag"));
    let replaced = app.put(
        "/settings/color",
        json!({"key": "color", "value": "blue", "ownerId": 3}),
    );
    let replaced = replaced.await.expect(200);
    assert_eq!(replaced.json()["version"], 2);
    app.put("/settings/size", json!({"key": "color", "value": "1"}))
        .await
        .expect_json(400, json!({"errors": {"key": ["Does not match the URL."]}}));
    app.put("/settings/size", json!({"value": "x".repeat(21)}))
        .await
        .expect(400);
    app.put("/settings/size", json!({})).await.expect(400);
    app.get("/settings/size").await.expect(404);
    app.patch("/settings/size", json!({"value": "1"}))
        .await
        .expect(404);
}

/// UPS-2: `If-None-Match: *` only creates, and `If-Match` only changes.
#[tokio::test]
async fn preconditions_decide_between_creation_and_change() {
    let app = shop().await;
    let body = json!({"value": "red", "ownerId": 0});
    let existing = app.with_header("if-match", "*");
    existing.put("/settings/color", body.clone()).await.expect(412);
    app.get("/settings/color").await.expect(404);
    let missing = app.with_header("if-none-match", "*");
    let created = missing.put("/settings/color", body.clone()).await.expect(201);
    missing.put("/settings/color", body.clone()).await.expect(412);
    let same = app.with_header("if-match", created.header("etag"));
    let blue = json!({"value": "blue", "ownerId": 0});
    same.put("/settings/color", blue.clone()).await.expect(200);
    same.put("/settings/color", blue).await.expect(412);
    existing.put("/settings/color", body).await.expect(200);
}

/// UPS-3: a creation needs what create needs, a change what put needs, and an object that the caller cannot see is neither
/// changed nor shown.
#[tokio::test]
async fn put_obeys_the_policies_of_both_operations() {
    let app = guarded_shop().await;
    app.database().execute(
        "INSERT INTO settings (key, value, owner_id, version) VALUES ('shared', 'a', 0, 1), ('other', 'b', 2, 1)",
    );
    let before = app.database().rows();
    let (one, reader) = (app.as_caller("1"), app.as_caller("1 reader"));
    let body = json!({"value": "mine"});
    one.put("/settings/shared", body.clone()).await.expect(403);
    let taken = one
        .post("/settings", json!({"key": "other", "value": "mine"}))
        .await;
    let taken = taken.expect(400).json();
    one.put("/settings/other", body.clone())
        .await
        .expect_json(400, taken);
    reader.put("/settings/new", body.clone()).await.expect(403);
    one.put("/settings/new", json!({"value": "unwritable"}))
        .await
        .expect(403);
    assert_eq!(app.database().rows(), before);
    let created = one.put("/settings/new", body.clone()).await.expect(201).json();
    assert_eq!(created["ownerId"], 1);
    one.put("/settings/new", json!({"value": "unwritable"}))
        .await
        .expect(403);
    reader
        .put("/settings/new", json!({"value": "read"}))
        .await
        .expect(200);
    app.as_caller("2").put("/settings/other", body).await.expect(200);
}

/// UPS-4: of concurrent puts of one key, one creates the object and the others change it.
#[tokio::test]
async fn concurrent_puts_create_one_object() {
    let app = shop().await;
    for round in 0..5 {
        let url = format!("/settings/round-{round}");
        let tasks: Vec<_> = (0..8)
            .map(|number| {
                let (client, url) = (app.client.clone(), url.clone());
                tokio::spawn(async move {
                    let body = json!({"value": format!("{number}"), "ownerId": 0});
                    client.put(&url, body).await.status.as_u16()
                })
            })
            .collect();
        let mut statuses = Vec::new();
        for task in tasks {
            statuses.push(task.await.unwrap());
        }
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
    }
    assert_eq!(app.database().value::<u32>("SELECT COUNT(*) FROM settings"), 5);
}

/// UPS-5: repeated requests, dry runs and events of puts that create.
#[tokio::test]
async fn puts_that_create_can_be_repeated_and_tried() {
    let heard = Heard::default();
    let subscriber = heard.clone();
    let subscriber = move |_: ApiHandle, change: Change<Setting>| {
        subscriber.add(&change);
        async { Result::Ok(()) }
    };
    let app = TestApp::with_api(api().after_change(subscriber)).await;
    let body = json!({"value": "red", "ownerId": 0});
    let dry = app.with_header("prefer", "dry-run");
    dry.put("/settings/color", body.clone()).await.expect(201);
    app.get("/settings/color").await.expect(404);
    heard.take().await;
    let keyed = app.with_header("idempotency-key", "\"put-that-creates-a-color\"");
    keyed.put("/settings/color", body.clone()).await.expect(201);
    keyed.put("/settings/color", body.clone()).await.expect(201);
    assert_eq!(heard.take().await, ["created"]);
    app.put("/settings/color", json!({"value": "blue", "ownerId": 0}))
        .await
        .expect(200);
    assert_eq!(heard.take().await, ["updated"]);
    // One of several objects is only changed.
    app.put("/settings", json!([{"key": "size", "value": "1", "ownerId": 0}]))
        .await
        .expect(404);
}
