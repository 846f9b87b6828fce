//! Versioning.

use axum::Router;
use backend::api::Api;
use backend::security::UserSecurity;
use model_resource::{Model, ModelSerializer, model_resource, route, serializer};
use serde_json::{Value, json};
use test_support::TestApp;

use crate::support::BackendApp;

#[derive(Debug, Clone, Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    title: String,
}

struct NoteSerializer;

#[serializer]
impl ModelSerializer for NoteSerializer {
    type Model = Note;
}

#[model_resource(Note, "/notes", "/notes/<int:id>")]
struct NoteResource;

#[route("/about")]
async fn about() -> Value {
    json!({"version": 2})
}

/// VER-1: every URL of the application begins with `/api/v1`, followed by the blueprint's prefix.
#[tokio::test]
async fn the_applications_urls_begin_with_the_version_and_then_the_blueprint() {
    let routes = backend::app::api(UserSecurity::new()).routes();
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

/// VER-2: apis with different prefixes coexist in one app, and an unknown prefix is a 404.
#[tokio::test]
async fn apis_with_different_prefixes_coexist() {
    let api = |prefix: &str| {
        Api::new("notes")
            .prefix(prefix)
            .serializer::<NoteSerializer>()
            .model_resource::<NoteResource>()
    };
    let app = TestApp::with_router(&[Note::table()], |store| {
        let first = api("/api/v1").store(store.clone()).init_app(Router::new());
        api("/api/v2").store(store).route(about).init_app(first)
    })
    .await;

    let made = app.post("/api/v1/notes", json!({"title": "one"})).await;
    assert_eq!(made.expect(201).header("location"), "/api/v1/notes/1");
    let made = app.post("/api/v2/notes", json!({"title": "two"})).await;
    assert_eq!(made.expect(201).header("location"), "/api/v2/notes/2");
    app.get("/api/v1/notes/2")
        .await
        .expect_json(200, json!({"id": 2, "title": "two"}));
    app.get("/api/v2/notes/1")
        .await
        .expect_json(200, json!({"id": 1, "title": "one"}));

    app.get("/api/v2/about")
        .await
        .expect_json(200, json!({"version": 2}));
    app.get("/api/v1/about").await.expect(404);
    app.get("/api/v3/notes").await.expect(404);
    app.get("/api/notes").await.expect(404);
    app.get("/notes").await.expect(404);
    app.post("/api/v3/notes", json!({"title": "three"}))
        .await
        .expect(404);
    let all = app.get("/api/v1/notes").await.expect(200).json();
    assert_eq!(all.as_array().unwrap().len(), 2);
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
