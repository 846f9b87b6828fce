//! Versioning.

use axum::Router;
use model_resource::{Api, Model, model_resource, route};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    title: String,
}

#[model_resource(Note, "/notes", "/notes/<int:id>")]
struct NoteResource;

#[route("/about")]
async fn about() -> Value {
    json!({"version": 2})
}

/// VER-2: apis with different prefixes coexist in one app, and an unknown prefix is a 404.
#[tokio::test]
async fn apis_with_different_prefixes_coexist() {
    let api = |prefix: &str| Api::new("notes").prefix(prefix).model_resource::<NoteResource>();
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
