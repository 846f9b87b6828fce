//! Preferences of clients for the response to a write.

use model_resource::{Api, CREATE, Model, ModelResource, Operations, PATCH, model_resource};
use serde_json::json;
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "boxes")]
struct Box {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1)]
    label: String,
}

struct BoxResource;

#[model_resource(Box, "/boxes", "/boxes/<int:id>")]
impl ModelResource for BoxResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

/// END-12
#[tokio::test]
async fn a_write_returns_no_object_if_the_client_prefers_that() {
    let app = TestApp::with_api(Api::new("boxes").model_resource::<BoxResource>()).await;
    let minimal = app.client.with_header("prefer", "return=minimal");
    let created = minimal.post("/boxes", json!({"label": "a"})).await.expect(201);
    assert_eq!(created.header("location"), "/boxes/1");
    let patched = minimal.patch("/boxes/1", json!({"label": "b"})).await.expect(204);
    let tag = patched.header("etag").to_owned();
    assert_ne!(created.header("etag"), tag);
    let replaced = minimal.put("/boxes/1", json!({"label": "b"})).await.expect(204);
    assert_eq!(replaced.header("etag"), tag);
    let many = minimal
        .post("/boxes", json!([{"label": "c"}, {"label": "d"}]))
        .await
        .expect(201);
    let changed = minimal
        .patch("/boxes", json!([{"id": 2, "label": "e"}]))
        .await
        .expect(204);
    for response in [&created, &patched, &replaced, &many, &changed] {
        assert_eq!(response.header("preference-applied"), "return=minimal");
        assert!(response.body.is_empty());
    }
    minimal.patch("/boxes/1", json!({"label": ""})).await.expect(400);
    let labels = app.get("/boxes?fields=label").await.expect(200).json();
    assert_eq!(labels, json!([{"label": "b"}, {"label": "e"}, {"label": "d"}]));
}

/// END-12
#[tokio::test]
async fn a_preference_for_the_object_is_reported() {
    let app = TestApp::with_api(Api::new("boxes").model_resource::<BoxResource>()).await;
    let whole = app.client.with_header("prefer", "return=representation");
    let created = whole.post("/boxes", json!({"label": "a"})).await.expect(201);
    let patched = whole.patch("/boxes/1", json!({"label": "b"})).await.expect(200);
    for (response, label) in [(&created, "a"), (&patched, "b")] {
        assert_eq!(response.header("preference-applied"), "return=representation");
        assert_eq!(response.json(), json!({"id": 1, "label": label}));
    }
    let plain = app.patch("/boxes/1", json!({"label": "c"})).await.expect(200);
    assert!(!plain.headers.contains_key("preference-applied"));
}

/// END-13
#[tokio::test]
async fn read_only_members_are_rejected_if_the_client_prefers_that() {
    let app = TestApp::with_api(Api::new("boxes").model_resource::<BoxResource>()).await;
    let strict = app.client.with_header("prefer", "handling=strict");
    let lenient = app.client.with_header("prefer", "handling=lenient");
    let refused = strict
        .post("/boxes", json!({"id": 5, "label": "a"}))
        .await
        .expect(400);
    assert_eq!(
        refused.json(),
        json!({"errors": {"id": ["Read-only; leave it out."]}})
    );
    let created = strict.post("/boxes", json!({"label": "a"})).await.expect(201);
    assert_eq!(created.header("preference-applied"), "handling=strict");
    let created = lenient
        .post("/boxes", json!({"id": 5, "label": "a"}))
        .await
        .expect(201);
    assert_eq!(created.header("preference-applied"), "handling=lenient");
    assert_eq!(created.json()["id"], 2);
    let many = strict
        .post("/boxes", json!([{"label": "b"}, {"id": 7, "label": "c"}]))
        .await;
    many.expect(400);
    assert_eq!(app.get("/boxes").await.json().as_array().unwrap().len(), 2);
}

/// END-13
#[tokio::test]
async fn a_client_can_limit_the_objects_that_it_writes() {
    let app = TestApp::with_api(Api::new("boxes").model_resource::<BoxResource>()).await;
    let limited = app.client.with_header("prefer", "max-affected=2");
    let three = json!([{"label": "a"}, {"label": "b"}, {"label": "c"}]);
    limited.post("/boxes", three.clone()).await.expect(400);
    assert_eq!(app.get("/boxes").await.json(), json!([]));
    let two = json!([{"label": "a"}, {"label": "b"}]);
    let created = limited.post("/boxes", two).await.expect(201);
    assert_eq!(created.header("preference-applied"), "max-affected=2");
    app.post("/boxes", three).await.expect(201);
}
