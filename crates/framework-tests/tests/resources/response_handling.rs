//! Response handling.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use model_resource::{
    Api, Context, Draft, Model, ModelResource, Representations, Result, model_resource, route,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    title: String,
}

fn plain(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    Ok((status, headers, format!("plain {data}")).into_response())
}

fn csv(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    Ok((status, headers, format!("csv {data}")).into_response())
}

fn own_csv(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    Ok((status, headers, format!("own csv {data}")).into_response())
}

#[model_resource(Note, "/notes", "/notes/<int:id>")]
struct NoteResource;

/// A resource with its own representations.
struct OwnResource;

#[model_resource(Note, "/own", "/own/<int:id>")]
impl ModelResource for OwnResource {
    fn representations() -> Representations {
        Representations::none()
            .with("text/csv", own_csv)
            .with("text/markdown", plain)
    }
}

#[route("/finished")]
async fn finished() -> Response {
    let headers = [("content-type", "image/x-dot"), ("x-own", "yes")];
    (StatusCode::IM_A_TEAPOT, headers, "not { JSON").into_response()
}

#[route("/data")]
async fn accepted() -> (Value, StatusCode, HeaderMap) {
    let headers = HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static("image/png")),
        (header::ETAG, HeaderValue::from_static("\"7\"")),
    ]);
    (json!({"a": 1}), StatusCode::ACCEPTED, headers)
}

/// A model with the name of a trait that the attributes use.
#[derive(Debug, Clone, Model)]
struct Answer {
    #[column(primary_key)]
    id: i64,
    title: String,
}

struct AnswerResource;

#[model_resource(Answer, "/answers")]
impl ModelResource for AnswerResource {
    async fn create(cx: Context, answer: Draft<Answer>) -> Result<Answer> {
        cx.create(answer).await
    }
}

fn api() -> Api {
    Api::new("notes")
        .representation("text/csv", csv)
        .representation("text/plain", plain)
        .model_resource::<NoteResource>()
        .model_resource::<OwnResource>()
        .model_resource::<AnswerResource>()
        .route(finished)
        .route(accepted)
}

async fn app() -> TestApp {
    TestApp::with_api(api()).await
}

/// Returns the media type of the response to an `Accept` header.
async fn answered(app: &TestApp, path: &str, accept: &str) -> String {
    let response = app.client.with_header("accept", accept).get(path).await;
    response.expect(200).header("content-type").to_owned()
}

/// REP-1: a finished response is sent unchanged, regardless of `Accept`.
#[tokio::test]
async fn a_finished_response_is_sent_unchanged() {
    let app = app().await;
    for accept in ["*/*", "text/csv", "application/json"] {
        let response = app.client.with_header("accept", accept).get("/finished").await;
        let response = response.expect(418);
        assert_eq!(response.header("content-type"), "image/x-dot");
        assert_eq!(response.header("x-own"), "yes");
        assert_eq!(response.text(), "not { JSON");
    }
}

/// REP-2: data is rendered by the negotiated representation, which keeps status and headers and sets the content type.
#[tokio::test]
async fn data_is_rendered_by_the_negotiated_representation() {
    let app = app().await;
    for (accept, body) in [
        ("application/json", "{\"a\":1}"),
        ("text/csv", "csv {\"a\":1}"),
        ("text/plain", "plain {\"a\":1}"),
    ] {
        let response = app.client.with_header("accept", accept).get("/data").await;
        let response = response.expect(202);
        assert_eq!(response.header("content-type"), accept);
        assert_eq!(response.header("etag"), "\"7\"");
        assert_eq!(response.text(), body);
    }
}

/// REP-2: every operation of a resource uses the negotiated representation.
#[tokio::test]
async fn every_operation_goes_through_the_representation() {
    let app = app().await;
    let client = app.client.with_header("accept", "text/csv");
    let made = client.post("/notes", json!({"title": "a"})).await.expect(201);
    assert_eq!(made.header("content-type"), "text/csv");
    assert_eq!(made.header("location"), "/notes/1");
    assert_eq!(made.text(), "csv {\"id\":1,\"title\":\"a\"}");
    let list = client.get("/notes").await.expect(200);
    assert_eq!(list.header("content-type"), "text/csv");
    assert_eq!(list.text(), "csv [{\"id\":1,\"title\":\"a\"}]");
    let changed = client.patch("/notes/1", json!({"title": "b"})).await.expect(200);
    assert_eq!(changed.text(), "csv {\"id\":1,\"title\":\"b\"}");
    let head = client.head("/notes/1").await.expect(200);
    assert_eq!(head.header("content-type"), "text/csv");
    assert!(head.body.is_empty());
    let deleted = client.delete("/notes/1").await.expect(204);
    assert!(deleted.body.is_empty());
    assert_eq!(deleted.header("content-type"), "");
    let empty = client.get("/notes").await.expect(200);
    assert_eq!(empty.text(), "csv []");
}

/// REP-3: the q-value decides, then the more specific range, then the order of registration.
#[tokio::test]
async fn quality_then_specificity_then_registration_decide() {
    let app = app().await;
    for (accept, best) in [
        ("application/json;q=0.5, text/csv;q=0.9", "text/csv"),
        ("application/json; q=0.9, text/csv; q=0.5", "application/json"),
        ("text/csv;q=0.001, application/json;q=0.002", "application/json"),
        ("TEXT/CSV", "text/csv"),
        ("text/*", "text/csv"),
        ("*/*", "application/json"),
        ("text/plain, */*", "text/plain"),
        ("*/*, text/plain", "text/plain"),
        ("text/*, application/json", "application/json"),
        ("text/plain, text/csv", "text/csv"),
        ("text/csv, application/json", "application/json"),
        ("text/*;q=0.9, text/csv;q=0.1", "text/plain"),
        ("text/plain;q=0.3, */*;q=0.8", "application/json"),
    ] {
        assert_eq!(answered(&app, "/notes", accept).await, best, "{accept}");
    }
}

/// REP-3: a q-value of 0 excludes a media type, even if a wildcard allows it or it is the default.
#[tokio::test]
async fn a_quality_of_zero_excludes() {
    let app = app().await;
    for (accept, best) in [
        ("application/json;q=0, */*", "text/csv"),
        ("*/*, application/json;q=0.0, text/csv;q=0.000", "text/plain"),
        ("text/*, text/csv;q=0", "text/plain"),
        ("*/*;q=0, text/plain;q=0.1", "text/plain"),
    ] {
        assert_eq!(answered(&app, "/notes", accept).await, best, "{accept}");
    }
    for accept in ["*/*;q=0", "application/json;q=0", "application/*;q=0, image/png"] {
        let client = app.client.with_header("accept", accept);
        let refused = client.post("/notes", json!({"title": "a"})).await.expect(406);
        assert!(refused.json()["message"].as_str().unwrap().contains("text/csv"));
    }
    app.get("/notes").await.expect_json(200, json!([]));
}

/// REP-3: several `Accept` headers are combined.
#[tokio::test]
async fn several_accept_headers_count_as_one() {
    let app = app().await;
    let client = app.client.with_header("accept", "application/json;q=0.1");
    let client = client.with_header("accept", "text/plain;q=0.2");
    let response = client.get("/notes").await.expect(200);
    assert_eq!(response.header("content-type"), "text/plain");
}

/// REP-4: the api's representations apply to all resources and views.
#[tokio::test]
async fn the_apis_representations_serve_everything() {
    let app = app().await;
    for path in ["/notes", "/own"] {
        assert_eq!(answered(&app, path, "text/plain").await, "text/plain");
    }
    let view = app.client.with_header("accept", "text/plain").get("/data").await;
    assert_eq!(view.expect(202).text(), "plain {\"a\":1}");
}

/// REP-4: a resource's own representations replace the api's of the same type and apply to no other resource.
#[tokio::test]
async fn a_resource_has_representations_of_its_own() {
    let app = app().await;
    let csv = app.client.with_header("accept", "text/csv");
    assert_eq!(csv.get("/own").await.expect(200).text(), "own csv []");
    assert_eq!(csv.get("/notes").await.expect(200).text(), "csv []");
    assert_eq!(answered(&app, "/own", "text/markdown").await, "text/markdown");
    assert_eq!(
        answered(&app, "/notes", "text/markdown").await,
        "application/json"
    );
    assert_eq!(
        answered(&app, "/own", "application/json").await,
        "application/json"
    );
}

/// REP-5: without `Accept`, with an invalid one, or without a match, the default media type is used.
#[tokio::test]
async fn without_accept_or_a_match_the_default_media_type_is_used() {
    for (default, other) in [
        ("application/json", "text/csv"),
        ("text/csv", "text/plain"),
        ("text/plain", "application/json"),
    ] {
        let app = TestApp::with_api(api().default_mediatype(default)).await;
        let silent = app.get("/notes").await.expect(200);
        assert_eq!(silent.header("content-type"), default);
        for accept in [
            "",
            "nonsense",
            ";;;,,",
            "text/csv;q=2",
            "image/png",
            "*/json",
            "text/csv;q=x",
        ] {
            assert_eq!(answered(&app, "/notes", accept).await, default, "{accept:?}");
        }
        assert_eq!(answered(&app, "/notes", other).await, other);
    }
}

/// REG-15: a model that an operation takes and returns may have any name.
#[tokio::test]
async fn a_model_may_have_the_name_of_a_trait_of_the_framework() {
    let answer = app().await.post("/answers", json!({"title": "yes"})).await;
    assert_eq!(answer.expect(200).json()["title"], "yes");
}
