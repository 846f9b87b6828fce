//! Versioning.

use backend::security::UserSecurity;
use serde_json::json;

use crate::support::BackendApp;

/// VER-1: every URL of the application begins with `/api/v1`, followed by the blueprint's prefix.
#[tokio::test]
async fn the_applications_urls_begin_with_the_version_and_then_the_blueprint() {
    let routes = backend::app::api()
        .authenticator(UserSecurity::new())
        .compile()
        .routes();
    assert!(routes.len() > 20, "{}", routes.len());
    for line in &routes {
        assert!(line.url.starts_with("/api/v1/"), "{}", line.url);
    }
    let app = BackendApp::start().await;
    app.get("/api/v1/categories").await.expect_json(200, json!([]));
    app.anonymous
        .get("/api/v1/auth/status")
        .await
        .expect_json(200, json!({"authenticated": false, "user": null, "roles": []}));
    for path in [
        "/categories",
        "/api/categories",
        "/v1/categories",
        "/auth/status",
        "/auth/api/v1/status",
        "/api/v1/status",
    ] {
        app.get(path).await.expect(404);
    }
}

/// VER-3: a request without a preference gets `application/json`.
#[tokio::test]
async fn a_request_without_a_preference_gets_json() {
    let app = BackendApp::start().await;
    let list = app.get("/api/v1/categories").await.expect(200);
    assert_eq!(list.header("content-type"), "application/json");
    let status = app.get("/api/v1/auth/status").await.expect(200);
    assert_eq!(status.header("content-type"), "application/json");
    let missing = app.get("/api/v1/categories/1").await.expect(404);
    assert_eq!(missing.header("content-type"), "application/json");
    let made = app.post("/api/v1/categories", json!({"name": "new"})).await;
    assert_eq!(made.expect(201).header("content-type"), "application/json");
}
