//! HEAD without a server that strips the body.

use axum::body::Body;
use http::{Method, Request};
use http_body_util::BodyExt;
use model_resource::{Api, Store};
use serde_json::json;
use test_support::{TestApp, TestDatabase};
use tower::ServiceExt;

use super::notes;

/// API-16: called as a tower service, the api responds to HEAD with the headers of GET and no body.
#[tokio::test]
async fn head_has_no_body_without_a_server_around_the_api() {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    let api = notes(Api::new("api"));
    store.create_tables(&api.tables()).await.unwrap();
    let service = api.store(store).into_service();
    for path in ["/notes", "/notes/1", "/url-of/1", "/nowhere"] {
        let send = |method| {
            let request = Request::builder().method(method).uri(path);
            service.clone().oneshot(request.body(Body::empty()).unwrap())
        };
        let (get, head) = (
            send(Method::GET).await.unwrap(),
            send(Method::HEAD).await.unwrap(),
        );
        assert_eq!(head.status(), get.status(), "{path}");
        let (get_type, head_type) = (
            get.headers().get("content-type"),
            head.headers().get("content-type"),
        );
        assert_eq!(head_type, get_type, "{path}");
        let body = head.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body.len(), 0, "{path}");
    }
}

/// API-16: over a connection, `Content-Length` is still that of GET.
#[tokio::test]
async fn head_reports_the_length_of_the_body_that_get_has() {
    let app = TestApp::with_api(notes(Api::new("api"))).await;
    app.post("/notes", json!({"text": "a"})).await.expect(201);
    let get = app.get("/notes/1").await.expect(200);
    let head = app.head("/notes/1").await.expect(200);
    assert_eq!(head.header("content-length"), get.body.len().to_string());
    assert_eq!(head.body.len(), 0);
}
