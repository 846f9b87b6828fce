//! Known faults of an earlier system.

use http::Method;
use model_resource::{Api, Error, Model, Reply, Result, model_resource, route};
use serde_json::json;
use test_support::TestApp;

#[route("/broken", methods = [GET, POST])]
async fn broken(axum::extract::Query(query): axum::extract::Query<Vec<(String, u8)>>) -> Result<Reply> {
    match query.len() {
        0 => Err(Error::internal("<b>broken</b>")),
        1 => panic!("<b>broken</b>"),
        _ => Err(Error::conflict("<b>broken</b>")),
    }
}

/// FLT-8: a view function that fails, panics, rejects or does not exist returns JSON, even to a browser.
#[tokio::test]
async fn errors_of_view_functions_are_json_and_never_html() {
    let api = Api::new("views").prefix("/api").route(broken);
    let app = TestApp::with_api(api).await;
    let browser = app.with_header("accept", "text/html,application/xhtml+xml,*/*;q=0.1");
    for (method, url, status) in [
        (Method::GET, "/api/broken", 500),
        (Method::GET, "/api/broken?a=1", 500),
        (Method::GET, "/api/broken?a=1&b=2", 409),
        (Method::GET, "/api/broken?a=x", 400),
        (Method::DELETE, "/api/broken", 405),
        (Method::GET, "/api/missing", 404),
    ] {
        let answer = browser.send(method, url, None).await.expect(status);
        assert_eq!(answer.header("content-type"), "application/json", "{url}");
        assert!(answer.json()["message"].is_string(), "{url}");
    }
}

/// A model of this test.
#[derive(Debug, Clone, Model)]
#[model(table = "things")]
struct Thing {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Thing, "/things", "/things/<int:id>")]
struct ThingResource;

/// FLT-9: a 406 is decided before anything is written.
#[tokio::test]
async fn a_406_is_decided_before_anything_is_written() {
    let api = Api::new("things")
        .default_mediatype(None)
        .model_resource::<ThingResource>();
    let app = TestApp::with_api(api).await;
    app.post("/things", json!({"name": "one"})).await.expect(201);
    let before = app.database().rows();
    for accept in ["image/png", "application/json;q=0", "text/*, */*;q=0"] {
        let picky = app.with_header("accept", accept);
        picky.get("/things").await.expect(406);
        picky.post("/things", json!({"name": "two"})).await.expect(406);
        picky.put("/things/1", json!({"name": "two"})).await.expect(406);
        let answer = picky.patch("/things/1", json!({"name": "two"})).await.expect(406);
        assert!(answer.json()["message"].is_string());
        picky.delete("/things/1").await.expect(406);
    }
    assert_eq!(app.database().rows(), before);
}
