//! Automatic loading decorators.

mod by_hand;
mod composition;
mod converting;

use std::panic::{AssertUnwindSafe, catch_unwind};

use axum::Router;
use http::Method;
use model_resource::{
    Api, Draft, Errors, ExtraField, Model, ModelResource, ModelSerializer, Store, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{TestApp, TestDatabase};

#[derive(Debug, Clone, Model)]
pub(super) struct Note {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1)]
    title: String,
    text: Option<String>,
}

pub(super) struct NoteSerializer;

#[serializer]
impl ModelSerializer for NoteSerializer {
    type Model = Note;
}

/// Requires an extra field.
struct CreateSerializer;

#[serializer(create)]
impl ModelSerializer for CreateSerializer {
    type Model = Note;

    fn fields(fields: model_resource::SerializerFields<Note>) -> model_resource::SerializerFields<Note> {
        fields.write_only(
            ExtraField::<Note, String>::new("draftOf")
                .required_on_create()
                .for_handler(),
        )
    }
}

pub(super) fn api() -> Api {
    Api::new("notes").serializer::<NoteSerializer>()
}

/// Returns its loaded arguments.
struct ShowingResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for ShowingResource {
    async fn list(notes: Vec<Note>) -> Value {
        json!(
            notes
                .iter()
                .map(|note| (note.id, &note.title))
                .collect::<Vec<_>>()
        )
    }

    async fn get(note: Note) -> Value {
        json!({"got": note.title})
    }

    async fn delete(note: Note) -> Value {
        json!({"to delete": note.title})
    }

    async fn create(note: Draft<Note>, errors: Errors) -> Value {
        json!({"new": note.get(Note::TITLE), "extra": note.extra::<String>("draftOf"), "errors": errors})
    }

    async fn put(note: Draft<Note>, errors: Errors) -> Value {
        Self::laid_over(&note, &errors)
    }

    async fn patch(note: Draft<Note>, errors: Errors) -> Value {
        Self::laid_over(&note, &errors)
    }

    #[helper]
    fn laid_over(note: &Draft<Note>, errors: &Errors) -> Value {
        json!({
            "id": note.get(Note::ID),
            "title": [note.saved(Note::TITLE), note.get(Note::TITLE)],
            "text": note.get(Note::TEXT).flatten(),
            "errors": errors,
        })
    }
}

/// Starts an app with one resource and one note: `{"id": 1, "title": "one", "text": "t"}`.
async fn with_note(api: Api) -> TestApp {
    let app = TestApp::with_api(api).await;
    let mut note = Draft::new();
    note.set(Note::TITLE, "one".to_owned());
    note.set(Note::TEXT, Some("t".to_owned()));
    app.store.create(note).await.unwrap();
    app
}

fn decorators(api: Api, method: &str, url: &str) -> Vec<&'static str> {
    let routes = api.compile().routes();
    let line = routes
        .iter()
        .find(|line| line.method == method && line.url == url);
    line.unwrap().decorators.clone()
}

/// DEC-1: `list_loader` passes the model's rows to list.
#[tokio::test]
async fn list_gets_the_rows() {
    let api = || api().model_resource::<ShowingResource>();
    assert_eq!(decorators(api(), "GET", "/notes"), ["list_loader"]);
    let app = with_note(api()).await;
    app.get("/notes").await.expect_json(200, json!([[1, "one"]]));
}

/// DEC-2: `param_converter` passes the row of the URL's last parameter to get and delete.
#[tokio::test]
async fn get_and_delete_get_the_row() {
    let api = || api().model_resource::<ShowingResource>();
    for method in ["GET", "DELETE"] {
        assert_eq!(decorators(api(), method, "/notes/<int:id>"), ["param_converter"]);
    }
    let app = with_note(api()).await;
    app.get("/notes/1").await.expect_json(200, json!({"got": "one"}));
    app.delete("/notes/1")
        .await
        .expect_json(200, json!({"to delete": "one"}));
    app.get("/notes/2").await.expect(404);
    app.delete("/notes/2").await.expect(404);
}

/// DEC-3: put and patch get the row with the body merged into it, loaded by the resource's serializer.
#[tokio::test]
async fn put_and_patch_get_the_row_with_the_body_merged_into_it() {
    let api = || api().model_resource::<ShowingResource>();
    for (method, loader) in [("PUT", "put_loader"), ("PATCH", "patch_loader")] {
        assert_eq!(
            decorators(api(), method, "/notes/<int:id>"),
            ["param_converter", loader]
        );
    }
    let app = with_note(api()).await;
    for method in [Method::PUT, Method::PATCH] {
        app.send_json(method, "/notes/1", json!({"title": "two"}))
            .await
            .expect_json(
                200,
                json!({"id": 1, "title": ["one", "two"], "text": "t", "errors": {}}),
            );
    }
    let shown = |errors: Value| json!({"id": 1, "title": ["one", "one"], "text": null, "errors": errors});
    app.put("/notes/1", json!({"text": null}))
        .await
        .expect_json(200, shown(json!({"title": ["Title is required."]})));
    app.patch("/notes/1", json!({"text": null}))
        .await
        .expect_json(200, shown(json!({})));
    app.get("/notes").await.expect_json(200, json!([[1, "one"]]));
}

/// DEC-4: `post_loader` passes a new object to create, loaded by the create serializer.
#[tokio::test]
async fn create_gets_an_object_loaded_by_the_create_serializer() {
    let api = || {
        api()
            .serializer::<CreateSerializer>()
            .model_resource::<ShowingResource>()
    };
    assert_eq!(decorators(api(), "POST", "/notes"), ["post_loader"]);
    let app = with_note(api()).await;
    app.post("/notes", json!({"title": "two", "draftOf": "three"}))
        .await
        .expect_json(200, json!({"new": "two", "extra": "three", "errors": {}}));
    let missing = app
        .post("/notes", json!({"title": "two"}))
        .await
        .expect(200)
        .json();
    assert!(missing["errors"]["draftOf"][0].is_string(), "{missing}");
    let foreign = app
        .patch("/notes/1", json!({"title": "two", "draftOf": "three"}))
        .await
        .expect(200);
    assert_eq!(foreign.json()["errors"], json!({"draftOf": ["Unknown field."]}));
}

/// Returns the message with which the api is rejected at startup.
pub(super) async fn startup_errors(api: Api) -> String {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    let mounted = catch_unwind(AssertUnwindSafe(|| api.store(store).init_app(Router::new())));
    let panic = mounted.expect_err("the api must be refused");
    panic.downcast_ref::<String>().unwrap().clone()
}
