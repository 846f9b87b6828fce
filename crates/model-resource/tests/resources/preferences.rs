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
