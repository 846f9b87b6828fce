//! Fields of the reference application.

use serde_json::json;

use crate::support::BackendApp;

/// SER-1: articles of the reference application have every column without listing one.
#[tokio::test]
async fn every_column_of_a_model_is_a_field() {
    let app = BackendApp::start().await;
    let body = json!({"title": "T", "body": "B"});
    let created = app.post("/api/v1/articles", body).await.expect(201).json();
    let mut keys: Vec<_> = created.as_object().unwrap().keys().cloned().collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "authorId",
            "body",
            "categoryId",
            "createdAt",
            "id",
            "price",
            "publishDate",
            "published",
            "rating",
            "slug",
            "summary",
            "title",
            "updatedAt"
        ]
    );
    app.post("/api/v1/categories", json!({"name": "C"}))
        .await
        .expect(201);
    let filed = app.patch("/api/v1/articles/1", json!({"categoryId": 1})).await;
    assert_eq!(filed.expect(200).json()["categoryId"], 1);
}
