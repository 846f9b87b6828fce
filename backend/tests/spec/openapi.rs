//! The OpenAPI document of the application.

use serde_json::Value;

use crate::support::BackendApp;

/// OAS-35: the root redirects to the index, which leads to the document and the docs page; anonymous callers and admins
/// have different documents.
#[tokio::test]
async fn the_root_leads_to_the_document() {
    let app = BackendApp::start().await;
    let root = app.anonymous.get("/").await.expect(307);
    let index = app
        .anonymous
        .get(root.header("location"))
        .await
        .expect(200)
        .json();
    assert_eq!(index["links"]["docs"], "/api/v1/docs");
    let document = index["links"]["openapi"].as_str().unwrap();
    let anonymous = app.anonymous.get(document).await.expect(200).json();
    let admin = app.get(document).await.expect(200).json();
    let create = |document: &Value| document["paths"]["/api/v1/categories"]["post"].clone();
    assert_eq!(create(&anonymous), Value::Null);
    assert_eq!(create(&admin)["operationId"], "createCategory");
    assert!(anonymous["components"]["securitySchemes"]["session"].is_object());
}
