//! axum's path extractors in operations and views.

use axum::Router;
use axum::extract::{MatchedPath, NestedPath, OriginalUri, Path, RawPathParams};
use model_resource::{Api, ModelResource, model_resource, route};
use serde::Deserialize;
use serde_json::{Value, json};
use test_support::TestApp;

use super::Note;

#[derive(Deserialize)]
struct Named {
    year: i32,
    title: String,
}

#[route("/one/<int:id>")]
async fn one(Path(id): Path<i64>, path: MatchedPath) -> Value {
    json!([id, path.as_str()])
}

#[route("/two/<int:year>/<title>.html")]
async fn two(Path((year, title)): Path<(i32, String)>, Path(named): Path<Named>, path: MatchedPath) -> Value {
    json!([year, title, named.year, named.title, path.as_str()])
}

#[route("/files/<path:file>", methods = [POST])]
async fn file(Path(file): Path<String>, path: MatchedPath, body: String) -> Value {
    json!([file, path.as_str(), body])
}

#[route("/none")]
async fn none(path: MatchedPath, params: RawPathParams) -> Value {
    json!([path.as_str(), params.iter().count()])
}

#[route("/tenant/<int:id>")]
async fn tenant(
    Path((tenant, id)): Path<(String, i64)>,
    path: MatchedPath,
    nested: NestedPath,
    original: OriginalUri,
) -> Value {
    json!([tenant, id, path.as_str(), nested.as_str(), original.path()])
}

struct PathResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for PathResource {
    async fn get(Path(id): Path<i64>, path: MatchedPath, note: Note) -> Value {
        json!([id, path.as_str(), note.text])
    }
}

fn api() -> Api {
    Api::new("api")
        .prefix("/api")
        .model_resource::<PathResource>()
        .route(one)
        .route(two)
        .route(file)
        .route(none)
        .route(tenant)
}

/// API-15: `Path` has the decoded URL parameters, and `MatchedPath` the URL in axum's notation.
#[tokio::test]
async fn path_and_matched_path_work_in_views() {
    let app = TestApp::with_api(api()).await;
    app.get("/api/one/7")
        .await
        .expect_json(200, json!([7, "/api/one/{id}"]));
    app.get("/api/two/1999/a%20%C3%A4%2Fb.html").await.expect_json(
        200,
        json!([1999, "a ä/b", 1999, "a ä/b", "/api/two/{year}/{title}"]),
    );
    let body = Some(("text/plain", "sent".into()));
    let sent = app.send(http::Method::POST, "/api/files/a/b%20c.txt", body).await;
    sent.expect_json(200, json!(["a/b c.txt", "/api/files/{file}", "sent"]));
    app.get("/api/none")
        .await
        .expect_json(200, json!(["/api/none", 0]));
}

/// API-15: path extractors work in operations beside loaded arguments.
#[tokio::test]
async fn path_and_matched_path_work_in_operations() {
    let app = TestApp::with_api(api()).await;
    app.post("/api/notes", json!({"text": "a"})).await.expect(201);
    app.get("/api/notes/1")
        .await
        .expect_json(200, json!([1, "/api/notes/{id}", "a"]));
}

/// API-15: below `nest` they include the prefix and its parameters, as in an axum handler.
#[tokio::test]
async fn path_and_matched_path_have_the_prefix_of_nest() {
    let api = api();
    let tables = api.tables();
    let nested = |store| Router::new().nest("/t/{tenant}", api.store(store).into_router());
    let app = TestApp::with_router(&tables, nested).await;
    app.get("/t/a%20b/api/tenant/7").await.expect_json(
        200,
        json!([
            "a b",
            7,
            "/t/{tenant}/api/tenant/{id}",
            "/t/{tenant}",
            "/t/a%20b/api/tenant/7"
        ]),
    );
}

/// API-15: a value of the wrong type is rejected as in axum.
#[tokio::test]
async fn a_path_of_another_type_is_rejected() {
    let app = TestApp::with_api(Api::new("api").route(small)).await;
    app.get("/small/7").await.expect_json(200, json!(7));
    app.get("/small/700").await.expect(400);
}

#[route("/small/<int:id>")]
async fn small(Path(id): Path<u8>) -> Value {
    json!(id)
}
