//! Choosing the operation.

mod handlers;

use http::Method;
use model_resource::{
    Api, Context, Draft, Error, GET, LIST, MethodDecorators, Model, ModelResource, Next, Operations, PATCH,
    Reply, Result, model_resource,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1)]
    title: String,
}

fn api() -> Api {
    // The same secret in all databases, so that rows have the same tags.
    Api::new("notes").cursor_secret("secret")
}

#[model_resource(Note, "/notes", "/notes/<int:id>")]
struct DefaultResource;

#[model_resource(Note, "/any", methods = [GET, POST, PUT, PATCH, DELETE])]
struct AnyMethodResource;

/// Defines operations that it excludes or does not include.
struct DefiningResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for DefiningResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST, GET, PATCH]);
    const EXCLUDE_METHODS: Operations = Operations::of([GET, PATCH]);

    async fn get(note: Note) -> Value {
        json!({"defined": note.title})
    }

    async fn create(cx: Context, note: Draft<Note>) -> Result<Reply> {
        cx.created(note).await
    }
}

/// Rejects every request.
async fn closed(_: Context, _: Next) -> Result<Reply> {
    Err(Error::forbidden("Closed."))
}

struct ClosedResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for ClosedResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST, PATCH]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(closed)
    }
}

/// OP-3: on a URL without parameter every other supported method is create.
#[tokio::test]
async fn every_other_method_on_a_url_without_parameter_creates() {
    let app = TestApp::with_api(api().model_resource::<AnyMethodResource>()).await;
    for (id, method) in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE]
        .into_iter()
        .enumerate()
    {
        app.send_json(method.clone(), "/any", json!({"title": method.as_str()}))
            .await
            .expect_json(201, json!({"id": id + 1, "title": method.as_str()}));
    }
    let list = app.get("/any").await.expect(200).json();
    assert_eq!(list.as_array().unwrap().len(), 4);
}

/// OP-4, OP-11: on a URL that ends with a parameter the method's name in lower case is the operation.
#[tokio::test]
async fn on_a_url_with_a_parameter_the_method_names_the_operation() {
    let app = TestApp::with_api(api().model_resource::<DefaultResource>()).await;
    app.post("/notes", json!({"title": "a"})).await.expect(201);
    app.get("/notes/1")
        .await
        .expect_json(200, json!({"id": 1, "title": "a"}));
    app.put("/notes/1", json!({})).await.expect(400);
    app.patch("/notes/1", json!({}))
        .await
        .expect_json(200, json!({"id": 1, "title": "a"}));
    app.put("/notes/1", json!({"title": "b"}))
        .await
        .expect_json(200, json!({"id": 1, "title": "b"}));
    let post = app
        .post("/notes/1", json!({"title": "c"}))
        .await
        .expect(405)
        .json();
    let message = post["message"].as_str().unwrap();
    assert!(
        message.contains("POST") && message.contains("\"create\""),
        "{message}"
    );
    app.get("/notes")
        .await
        .expect_json(200, json!([{"id": 1, "title": "b"}]));
    app.delete("/notes/1").await.expect(204);
    app.get("/notes").await.expect_json(200, json!([]));
}

/// OP-5: an operation that the resource defines is called even if it is excluded or not included.
#[tokio::test]
async fn a_defined_operation_is_called_even_if_it_is_excluded() {
    let app = TestApp::with_api(api().model_resource::<DefiningResource>()).await;
    app.post("/notes", json!({"title": "a"}))
        .await
        .expect_json(201, json!({"id": 1, "title": "a"}));
    app.get("/notes/1")
        .await
        .expect_json(200, json!({"defined": "a"}));
}

/// OP-6: an operation that is not defined runs if it is included and not excluded, and is otherwise rejected.
#[tokio::test]
async fn an_undefined_operation_runs_only_if_it_is_included_and_not_excluded() {
    let app = TestApp::with_api(api().model_resource::<DefiningResource>()).await;
    app.post("/notes", json!({"title": "a"})).await.expect(201);
    let rows = json!([{"id": 1, "title": "a"}]);
    app.get("/notes").await.expect_json(200, rows.clone());
    // Included and excluded, not included, not included.
    app.patch("/notes/1", json!({"title": "b"})).await.expect(405);
    app.put("/notes/1", json!({"title": "b"})).await.expect(405);
    app.delete("/notes/1").await.expect(405);
    app.get("/notes").await.expect_json(200, rows);
}

/// OP-9: a collection URL supports GET, HEAD and POST, an item URL GET, HEAD, PUT, PATCH and DELETE, and no others.
#[tokio::test]
async fn each_kind_of_url_has_its_methods() {
    let app = TestApp::with_api(api().model_resource::<DefaultResource>()).await;
    app.post("/notes", json!({"title": "a"})).await.expect(201);
    for (path, others, allow) in [
        (
            "/notes",
            vec!["PUT", "PATCH", "DELETE", "TRACE", "BREW"],
            "GET, HEAD, POST, OPTIONS",
        ),
        (
            "/notes/1",
            vec!["POST", "TRACE", "BREW"],
            "GET, HEAD, PUT, PATCH, DELETE, OPTIONS",
        ),
    ] {
        for method in others {
            let body = json!({"title": "b"});
            let refused = app
                .send_json(method.parse().unwrap(), path, body)
                .await
                .expect(405);
            assert_eq!(refused.header("allow"), allow, "{method} {path}");
        }
    }
    app.get("/notes")
        .await
        .expect_json(200, json!([{"id": 1, "title": "a"}]));
}

/// OP-10: OPTIONS is a 204 with `Allow`, for every caller and also for nonexistent rows.
#[tokio::test]
async fn options_returns_the_methods_of_the_url() {
    let app = TestApp::with_api(api().model_resource::<ClosedResource>()).await;
    app.get("/notes").await.expect(403);
    for (path, allow) in [("/notes", "GET, HEAD, OPTIONS"), ("/notes/77", "PATCH, OPTIONS")] {
        let answer = app.options(path).await.expect(204);
        assert_eq!(answer.header("allow"), allow);
        assert!(answer.body.is_empty());
    }
    app.options("/nothing").await.expect(404);
}

/// OP-9: methods of unsupported operations are not supported.
#[tokio::test]
async fn a_url_supports_only_the_methods_of_operations_that_are_defined_or_included() {
    let app = TestApp::with_api(api().model_resource::<DefiningResource>()).await;
    for (path, allow) in [
        ("/notes", "GET, HEAD, POST, OPTIONS"),
        ("/notes/1", "GET, HEAD, OPTIONS"),
    ] {
        assert_eq!(app.options(path).await.expect(204).header("allow"), allow);
    }
}
