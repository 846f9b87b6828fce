//! States and transitions.

use serde_json::json;

use crate::support::BackendApp;

/// END-1: after a delete every operation on the row's URL is a 404, a second delete included.
#[tokio::test]
async fn after_a_delete_the_url_is_not_found_for_every_operation() {
    let app = BackendApp::start().await;
    for name in ["gone", "here"] {
        app.post("/api/v1/categories", json!({"name": name}))
            .await
            .expect(201);
    }
    app.delete("/api/v1/categories/1").await.expect(204);

    let missing = app.get("/api/v1/categories/1").await.expect(404);
    assert!(missing.json()["message"].is_string());
    app.head("/api/v1/categories/1").await.expect(404);
    app.put("/api/v1/categories/1", json!({"name": "again"}))
        .await
        .expect(404);
    app.patch("/api/v1/categories/1", json!({"name": "again"}))
        .await
        .expect(404);
    app.delete("/api/v1/categories/1").await.expect(404);

    let left = app.get("/api/v1/categories").await.expect(200).json();
    assert_eq!(left.as_array().unwrap().len(), 1);
    assert_eq!(left[0]["name"], "here");
}

/// END-1: the key of a deleted row is not reused, so the URL stays a 404.
#[tokio::test]
async fn the_key_of_a_deleted_row_is_not_reused() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "gone"}))
        .await
        .expect(201);
    app.delete("/api/v1/categories/1").await.expect(204);
    let next = app.post("/api/v1/categories", json!({"name": "gone"})).await;
    assert_eq!(next.expect(201).json()["id"], 2);
    app.get("/api/v1/categories/1").await.expect(404);
}
