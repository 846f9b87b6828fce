//! Default endpoints of a ModelResource.

mod memory;

use serde_json::{Value, json};
use test_support::Client;

use crate::support::BackendApp;

/// Starts the reference application with one article, and returns both.
async fn article() -> (BackendApp, Value) {
    let app = BackendApp::start().await;
    let body = json!({"title": "One Title", "body": "text", "summary": "short", "rating": 4.5});
    let made = app.post("/api/v1/articles", body).await.expect(201).json();
    (app, made)
}

/// END-4: create stores a row and returns the object with key and defaults, and its `Location`.
#[tokio::test]
async fn create_stores_a_row_and_answers_with_all_of_it_and_its_address() {
    let app = BackendApp::start().await;
    let made = app
        .post("/api/v1/articles", json!({"title": "One Title", "body": "text"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/api/v1/articles/1");
    let object = made.json();
    let (created, updated) = (&object["createdAt"], &object["updatedAt"]);
    assert!(created.is_string() && updated.is_string());
    assert_eq!(
        object,
        json!({
            "id": 1, "title": "One Title", "slug": "one-title", "body": "text", "summary": null,
            "published": false, "rating": null, "price": null, "publishDate": null, "categoryId": null,
            "authorId": null, "createdAt": created, "updatedAt": updated,
        })
    );
    app.get(made.header("location"))
        .await
        .expect_json(200, object.clone());
    app.get("/api/v1/articles")
        .await
        .expect_json(200, json!([object]));
    let next = app
        .post("/api/v1/articles", json!({"title": "Two", "body": "text"}))
        .await;
    assert_eq!(next.expect(201).header("location"), "/api/v1/articles/2");
}

/// END-4: a rejected create stores nothing.
#[tokio::test]
async fn a_rejected_create_stores_nothing() {
    let app = BackendApp::start().await;
    let refused = app
        .post("/api/v1/articles", json!({"title": "One"}))
        .await
        .expect(400);
    assert_eq!(refused.json(), json!({"errors": {"body": ["Body is required."]}}));
    assert_eq!(refused.header("location"), "");
    app.get("/api/v1/articles").await.expect_json(200, json!([]));
}

/// END-6: put changes the fields of the body and keeps optional fields that are absent.
#[tokio::test]
async fn put_keeps_an_absent_optional_field() {
    let (app, before) = article().await;
    let changed = app
        .put(
            "/api/v1/articles/1",
            json!({"title": "Other", "body": "new", "rating": null}),
        )
        .await
        .expect(200)
        .json();
    let mut expected = before.clone();
    expected["title"] = json!("Other");
    expected["slug"] = json!("other");
    expected["body"] = json!("new");
    expected["rating"] = Value::Null;
    expected["updatedAt"] = changed["updatedAt"].clone();
    assert_eq!(changed, expected);
    assert_eq!(changed["summary"], "short");
    app.get("/api/v1/articles/1").await.expect_json(200, changed);
}

/// END-6: put requires every required field.
#[tokio::test]
async fn put_requires_every_required_field() {
    let (app, before) = article().await;
    app.put("/api/v1/articles/1", json!({"summary": "only this"}))
        .await
        .expect_json(
            400,
            json!({"errors": {"title": ["Title is required."], "body": ["Body is required."]}}),
        );
    app.get("/api/v1/articles/1").await.expect_json(200, before);
}

/// END-7: patch changes only the fields of the body.
#[tokio::test]
async fn patch_changes_only_the_fields_of_the_body() {
    let (app, before) = article().await;
    let changed = app
        .patch("/api/v1/articles/1", json!({"summary": null, "published": true}))
        .await
        .expect(200)
        .json();
    let mut expected = before.clone();
    expected["summary"] = Value::Null;
    expected["published"] = json!(true);
    expected["updatedAt"] = changed["updatedAt"].clone();
    assert_eq!(changed, expected);
    assert_ne!(changed["updatedAt"], before["updatedAt"]);
    app.get("/api/v1/articles/1").await.expect_json(200, changed);
}

/// END-8: a patch with an empty object, or with the stored values, changes nothing.
#[tokio::test]
async fn a_patch_without_changes_writes_nothing() {
    let (app, before) = article().await;
    let same = json!({"title": "One Title", "summary": "short", "published": false, "price": null});
    for body in [json!({}), same, before.clone()] {
        app.patch("/api/v1/articles/1", body)
            .await
            .expect_json(200, before.clone());
        app.get("/api/v1/articles/1")
            .await
            .expect_json(200, before.clone());
    }
    let changed = app.patch("/api/v1/articles/1", json!({"title": "Two"})).await;
    assert_ne!(changed.expect(200).json()["updatedAt"], before["updatedAt"]);
}

fn preferring(app: &BackendApp) -> Client {
    app.with_header("prefer", "return=representation")
}

/// END-11: the response contains the deleted object, and `Preference-Applied`.
#[tokio::test]
async fn a_client_that_prefers_it_gets_the_deleted_object() {
    let (app, article) = article().await;
    let deleted = preferring(&app).delete("/api/v1/articles/1").await.expect(200);
    assert_eq!(deleted.header("preference-applied"), "return=representation");
    assert_eq!(deleted.header("content-type"), "application/json");
    assert_eq!(deleted.json(), article);
    app.get("/api/v1/articles/1").await.expect(404);
    let again = preferring(&app).delete("/api/v1/articles/1").await.expect(404);
    assert_eq!(again.header("preference-applied"), "");
}
