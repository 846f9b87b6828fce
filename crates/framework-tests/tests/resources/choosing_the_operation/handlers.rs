//! Arguments of handlers, and the default handlers.

use http::Method;
use model_resource::{Context, Draft, Errors, ModelResource, Reply, Result, model_resource};
use serde_json::{Value, json};
use test_support::{Response, TestApp};

use super::{DefaultResource, Note, api};

struct HandResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for HandResource {
    async fn list(notes: Vec<Note>) -> Vec<Note> {
        notes
    }

    async fn get(note: Note) -> Note {
        note
    }

    async fn create(cx: Context, note: Draft<Note>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        cx.created(note).await
    }

    async fn put(cx: Context, note: Draft<Note>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        cx.updated(note).await
    }

    async fn patch(cx: Context, note: Draft<Note>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        cx.updated(note).await
    }

    async fn delete(cx: Context, note: Note) -> Result<Reply> {
        cx.deleted(note).await
    }
}

/// Handles the errors of invalid bodies itself.
struct DecidingResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for DecidingResource {
    async fn list(notes: Vec<Note>) -> Value {
        let titles: Vec<&str> = notes.iter().map(|note| note.title.as_str()).collect();
        json!({"titles": titles})
    }

    async fn get(note: Note) -> Value {
        json!({"shouted": note.title.to_uppercase()})
    }

    async fn create(cx: Context, mut note: Draft<Note>, errors: Errors) -> Result<Reply> {
        if errors.has("title") {
            note.set(Note::TITLE, "Untitled".to_owned());
        }
        cx.created(note).await
    }

    async fn put(note: Draft<Note>, errors: Errors) -> Value {
        json!({"saved": note.saved(Note::TITLE), "new": note.get(Note::TITLE), "errors": errors})
    }

    async fn patch(cx: Context, note: Draft<Note>, errors: Errors) -> Result<Reply> {
        if errors.is_empty() {
            return cx.updated(note).await;
        }
        Reply::json(&json!({"ignored": errors}))
    }

    async fn delete(note: Note) -> Value {
        json!({"kept": note.title})
    }
}

/// Takes the draft but not the errors.
struct CarelessResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for CarelessResource {
    async fn create(cx: Context, note: Draft<Note>) -> Result<Reply> {
        cx.created(note).await
    }

    async fn patch(cx: Context, note: Draft<Note>) -> Result<Reply> {
        cx.updated(note).await
    }
}

/// Returns the parts of a response that do not depend on the time.
fn lasting(mut response: Response) -> (u16, String, String) {
    response.headers.remove("date");
    response.headers.remove("x-request-id");
    let headers = format!("{:?}", response.headers);
    (response.status.as_u16(), headers, response.text())
}

/// OP-7: the default operations respond like handlers written with the helpers.
#[tokio::test]
async fn the_default_operations_respond_like_the_helpers() {
    let defaults = TestApp::with_api(api().model_resource::<DefaultResource>()).await;
    let by_hand = TestApp::with_api(api().model_resource::<HandResource>()).await;
    let requests = [
        (Method::POST, "/notes", Some(json!({"title": "one"})), 201),
        (Method::POST, "/notes", Some(json!({"title": "two"})), 201),
        (Method::POST, "/notes", Some(json!({"title": ""})), 400),
        (Method::GET, "/notes", None, 200),
        (Method::GET, "/notes/1", None, 200),
        (Method::GET, "/notes/9", None, 404),
        (Method::PUT, "/notes/1", Some(json!({"title": "put"})), 200),
        (Method::PUT, "/notes/1", Some(json!({})), 400),
        (Method::PATCH, "/notes/1", Some(json!({"title": "patch"})), 200),
        (Method::PATCH, "/notes/1", Some(json!({"title": 5})), 400),
        (Method::GET, "/notes", None, 200),
        (Method::DELETE, "/notes/1", None, 204),
        (Method::DELETE, "/notes/1", None, 404),
        (Method::GET, "/notes", None, 200),
    ];
    for (method, path, body, status) in requests {
        let send = async |app: &TestApp| {
            let body = body
                .as_ref()
                .map(|body| ("application/json", body.to_string().into()));
            lasting(app.send(method.clone(), path, body).await)
        };
        let (default, own) = (send(&defaults).await, send(&by_hand).await);
        assert_eq!(default, own, "{method} {path}");
        assert_eq!(default.0, status, "{method} {path}");
    }
    defaults
        .get("/notes")
        .await
        .expect_json(200, json!([{"id": 2, "title": "two"}]));
}

/// OP-8: a defined list, get or delete gets the loaded rows or row.
#[tokio::test]
async fn a_defined_list_get_or_delete_gets_the_loaded_rows() {
    let app = TestApp::with_api(api().model_resource::<DecidingResource>()).await;
    for title in ["one", "two"] {
        app.post("/notes", json!({"title": title})).await.expect(201);
    }
    app.get("/notes")
        .await
        .expect_json(200, json!({"titles": ["one", "two"]}));
    app.get("/notes/2")
        .await
        .expect_json(200, json!({"shouted": "TWO"}));
    app.delete("/notes/2")
        .await
        .expect_json(200, json!({"kept": "two"}));
    app.get("/notes")
        .await
        .expect_json(200, json!({"titles": ["one", "two"]}));
}

/// OP-8: a defined create, put or patch gets the object and the errors, and decides how to respond.
#[tokio::test]
async fn a_defined_create_put_or_patch_decides_about_the_errors() {
    let app = TestApp::with_api(api().model_resource::<DecidingResource>()).await;
    app.post("/notes", json!({"title": ""}))
        .await
        .expect_json(201, json!({"id": 1, "title": "Untitled"}));
    let put = app.put("/notes/1", json!({"title": 7})).await.expect(200).json();
    assert_eq!(put["saved"], "Untitled");
    assert!(put["errors"]["title"][0].is_string(), "{put}");
    app.put("/notes/1", json!({"title": "fine"}))
        .await
        .expect_json(200, json!({"saved": "Untitled", "new": "fine", "errors": {}}));
    let patch = app
        .patch("/notes/1", json!({"title": 7}))
        .await
        .expect(200)
        .json();
    assert!(patch["ignored"]["title"][0].is_string(), "{patch}");
    app.get("/notes")
        .await
        .expect_json(200, json!({"titles": ["Untitled"]}));
    app.patch("/notes/1", json!({"title": "fine"}))
        .await
        .expect_json(200, json!({"id": 1, "title": "fine"}));
}

/// OP-8: a handler that does not take the errors cannot store an invalid object by oversight.
#[tokio::test]
async fn created_and_updated_reject_errors_that_the_handler_does_not_take() {
    let app = TestApp::with_api(api().model_resource::<CarelessResource>()).await;
    let refused = app.post("/notes", json!({"title": ""})).await.expect(400);
    assert!(refused.json()["errors"]["title"][0].is_string());
    app.get("/notes").await.expect_json(200, json!([]));
    app.post("/notes", json!({"title": "a"})).await.expect(201);
    app.patch("/notes/1", json!({"title": 7})).await.expect(400);
    app.get("/notes")
        .await
        .expect_json(200, json!([{"id": 1, "title": "a"}]));
}
