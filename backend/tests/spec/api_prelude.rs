//! The prelude `backend::api`, and the application's api.

use std::path::Path;

use backend::api::{
    ALL_METHODS, Api, CREATE, DELETE, GET, HEAD, LIST, ModelResource, ModelSerializer, PATCH, PUT,
    WrappedSerializer,
};
use backend::extensions::api;
use model_resource::{Model, serializer};
use serde_json::json;
use test_support::TestApp;

use crate::support::BackendApp;

#[derive(Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
}

struct BareNoteSerializer;

#[serializer]
impl ModelSerializer for BareNoteSerializer {
    type Model = Note;
}

struct NoteResource;

#[api::model_resource(Note, "/notes")]
impl ModelResource for NoteResource {}

/// API-1: a custom resource needs only the names of `backend::api`, and is registered with the application's api.
#[tokio::test]
async fn the_prelude_suffices_to_serve_a_model() {
    let api: Api = api::api()
        .serializer::<WrappedSerializer<BareNoteSerializer>>()
        .model_resource::<NoteResource>();
    let app = TestApp::with_api(api).await;
    app.post("/api/v1/notes", json!({"note": {"text": "a"}}))
        .await
        .expect_json(201, json!({"note": {"id": 1, "text": "a"}}));
    assert_eq!(ALL_METHODS, [CREATE, DELETE, GET, LIST, PATCH, PUT]);
    assert_eq!(HEAD, "head");
}

/// API-1: the application constructs one `Api`, in `backend::extensions::api`.
#[test]
fn the_only_api_comes_from_the_extensions() {
    fn files(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found);
            } else if std::fs::read_to_string(&path).unwrap().contains("Api::new(") {
                found.push(path.display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("src/extensions/api.rs"), "{found:?}");
}

/// REG-1: a resource of a model and two URLs supports all six operations.
#[tokio::test]
async fn a_resource_that_overrides_nothing_serves_all_six_operations() {
    let app = BackendApp::start().await;
    let created = app
        .post("/api/v1/categories", json!({"name": "Old"}))
        .await
        .expect(201)
        .json();
    assert_eq!(created["slug"], "old");

    let listed = app.get("/api/v1/categories").await.expect(200).json();
    assert_eq!(listed, json!([created]));
    app.get("/api/v1/categories/1").await.expect_json(200, created);

    let put = app.put("/api/v1/categories/1", json!({"name": "New"})).await;
    assert_eq!(put.expect(200).json()["name"], "New");
    let patched = app
        .patch("/api/v1/categories/1", json!({"name": "Newer"}))
        .await
        .expect(200)
        .json();
    assert_eq!(patched["name"], "Newer");
    app.get("/api/v1/categories/1").await.expect_json(200, patched);

    let deleted = app.delete("/api/v1/categories/1").await.expect(204);
    assert!(deleted.body.is_empty());
    app.get("/api/v1/categories").await.expect_json(200, json!([]));
}
