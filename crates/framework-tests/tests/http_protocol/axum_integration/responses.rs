//! Return types of operations and views.

use axum::Json;
use axum::response::{Html, IntoResponse, Redirect, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use model_resource::{Api, Error, ModelResource, Result, model_resource, route};
use serde::Serialize;
use serde_json::{Value, json};
use test_support::TestApp;

use super::Note;

#[derive(Serialize)]
struct Receipt {
    total: i64,
}

/// A custom response.
struct Teapot;

impl IntoResponse for Teapot {
    fn into_response(self) -> Response {
        (StatusCode::IM_A_TEAPOT, "short and stout").into_response()
    }
}

#[route("/status-first", methods = [POST])]
async fn status_first() -> (StatusCode, Json<Receipt>) {
    (StatusCode::CREATED, Json(Receipt { total: 7 }))
}

#[route("/status-last", methods = [POST])]
async fn status_last() -> (Json<Receipt>, StatusCode) {
    (Json(Receipt { total: 7 }), StatusCode::CREATED)
}

#[route("/with-headers", methods = [POST])]
async fn with_headers() -> Result<(StatusCode, HeaderMap, Json<Receipt>)> {
    let mut headers = HeaderMap::new();
    headers.insert("x-till", HeaderValue::from_static("3"));
    Ok((StatusCode::CREATED, headers, Json(Receipt { total: 7 })))
}

#[route("/model")]
async fn model() -> (StatusCode, Note) {
    let text = "a".to_owned();
    (StatusCode::ACCEPTED, Note { id: 1, text })
}

#[route("/text")]
async fn text() -> &'static str {
    "plain"
}

#[route("/page")]
async fn page() -> Html<String> {
    Html("<p>page".to_owned())
}

#[route("/elsewhere")]
async fn elsewhere() -> Redirect {
    Redirect::to("/text")
}

#[route("/nothing")]
async fn nothing() {}

#[route("/only-status")]
async fn only_status() -> StatusCode {
    StatusCode::NO_CONTENT
}

#[route("/bytes")]
async fn bytes() -> ([(header::HeaderName, &'static str); 1], Vec<u8>) {
    ([(header::CONTENT_TYPE, "image/png")], vec![1, 2, 3])
}

#[route("/teapot")]
async fn teapot() -> Result<Teapot, StatusCode> {
    Ok(Teapot)
}

#[route("/refused")]
async fn refused() -> Result<Teapot, (StatusCode, Json<Value>)> {
    Err((StatusCode::CONFLICT, Json(json!({"why": "no"}))))
}

#[route("/missing")]
async fn missing() -> Result<Teapot> {
    Err(Error::not_found())
}

struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for NoteResource {
    async fn delete(note: Note) -> (StatusCode, Html<String>) {
        (StatusCode::OK, Html(note.text))
    }
}

fn plain(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    Ok((status, headers, format!("as text: {data}")).into_response())
}

async fn app() -> TestApp {
    let api = Api::new("api")
        .representation("text/plain", plain)
        .model_resource::<NoteResource>();
    let api = api
        .route(status_first)
        .route(status_last)
        .route(with_headers)
        .route(model);
    let api = api
        .route(text)
        .route(page)
        .route(elsewhere)
        .route(nothing)
        .route(only_status);
    TestApp::with_api(api.route(bytes).route(teapot).route(refused).route(missing)).await
}

/// REG-15: data with a status, in either order, is rendered by a representation.
#[tokio::test]
async fn data_with_a_status_in_either_order_is_negotiated() {
    let app = app().await;
    for path in ["/status-first", "/status-last", "/with-headers"] {
        let answer = app.post(path, json!({})).await.expect(201);
        assert_eq!(answer.json(), json!({"total": 7}), "{path}");
        let text = app.with_header("accept", "text/plain");
        let answer = text.post(path, json!({})).await.expect(201);
        assert_eq!(answer.text(), "as text: {\"total\":7}", "{path}");
        assert_eq!(answer.header("content-type"), "text/plain");
    }
    let answer = app.post("/with-headers", json!({})).await;
    assert_eq!(answer.header("x-till"), "3");
    app.get("/model")
        .await
        .expect_json(202, json!({"id": 1, "text": "a"}));
}

/// REG-15: any other axum response of a view or an operation is sent unchanged.
#[tokio::test]
async fn any_response_of_axum_is_sent_unchanged() {
    let app = app().await;
    assert_eq!(app.get("/text").await.expect(200).text(), "plain");
    let page = app.get("/page").await.expect(200);
    assert_eq!(
        (page.text().as_str(), page.header("content-type")),
        ("<p>page", "text/html; charset=utf-8")
    );
    assert_eq!(
        app.get("/elsewhere").await.expect(303).header("location"),
        "/text"
    );
    assert_eq!(app.get("/nothing").await.expect(200).text(), "");
    app.get("/only-status").await.expect(204);
    let bytes = app.get("/bytes").await.expect(200);
    assert_eq!(
        (&bytes.body[..], bytes.header("content-type")),
        (&[1, 2, 3][..], "image/png")
    );
    app.post("/notes", json!({"text": "gone"})).await.expect(201);
    assert_eq!(app.delete("/notes/1").await.expect(200).text(), "gone");
}

/// REG-15: the error of a result may be a response; an error of the framework still ends the request.
#[tokio::test]
async fn the_error_of_a_view_may_be_a_response() {
    let app = app().await;
    assert_eq!(app.get("/teapot").await.expect(418).text(), "short and stout");
    app.get("/refused").await.expect_json(409, json!({"why": "no"}));
    app.get("/missing")
        .await
        .expect_json(404, json!({"message": "Not found."}));
}
