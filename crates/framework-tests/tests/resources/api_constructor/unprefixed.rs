//! Unknown URLs of an api without a prefix.

use axum::Router;
use axum::routing::get;
use http::StatusCode;
use model_resource::Api;
use serde_json::json;
use test_support::{Client, TestApp};

use super::{in_site, notes, site};

async fn expect_json_404(client: &Client, path: &str) {
    let unknown = client.get(path).await;
    assert_eq!(unknown.header("content-type"), "application/json", "{path}");
    unknown.expect_json(404, json!({"message": "Not found."}));
}

/// API-20: without a prefix and an application, an unknown URL is a 404 in JSON, whichever way the api is served.
#[tokio::test]
async fn an_api_without_prefix_and_application_answers_unknown_urls_in_json() {
    let api = || notes(Api::new("plain"));
    let tables = api().tables();
    let as_service = |store| Router::new().fallback_service(api().store(store).into_service());
    let as_router = |store| api().store(store).into_router();
    let in_empty_router = |store| api().store(store).init_app(Router::new());
    for app in [
        TestApp::with_router(&tables, as_service).await,
        TestApp::with_router(&tables, as_router).await,
        TestApp::with_router(&tables, in_empty_router).await,
    ] {
        for path in ["/nowhere", "/", "/notes/1/more", "/notes/one"] {
            expect_json_404(&app, path).await;
        }
        app.post("/nowhere", json!({"text": "a"}))
            .await
            .expect_json(404, json!({"message": "Not found."}));
        let head = app.head("/nowhere").await.expect(404);
        assert_eq!(head.header("content-type"), "application/json");
        let problem = app.with_header("accept", "application/problem+json");
        let problem = problem.get("/nowhere").await.expect(404).json();
        assert_eq!(problem["code"], "not_found");
        app.get("/notes").await.expect_json(200, json!([]));
    }
}

/// API-20: an application around the api handles the URLs that the api does not know: by its routes, also with an empty
/// 404, and by its fallback.
#[tokio::test]
async fn an_application_around_an_api_without_prefix_handles_its_own_urls() {
    let site = site().route("/empty", get(|| async { StatusCode::NOT_FOUND }));
    let app = in_site(notes(Api::new("plain")), site).await;
    assert_eq!(app.get("/page").await.expect(200).text(), "<p>page");
    assert_eq!(app.get("/gone").await.expect(404).text(), "sold");
    assert_eq!(app.get("/empty").await.expect(404).text(), "");
    assert_eq!(app.get("/nowhere").await.expect(404).text(), "lost");
    app.get("/notes").await.expect_json(200, json!([]));

    let routes = Router::new().route("/page", get(|| async { "page" }));
    let app = in_site(notes(Api::new("plain")), routes).await;
    assert_eq!(app.get("/page").await.expect(200).text(), "page");
    expect_json_404(&app, "/nowhere").await;
}

/// API-20: an api without a prefix does not affect another api in the same application, registered before or after it.
#[tokio::test]
async fn an_api_without_prefix_does_not_affect_another_api() {
    let api = |prefix: &str| notes(Api::new("notes").prefix(prefix));
    let tables = api("").tables();
    for [inner, outer] in [["", "/v2"], ["/v2", ""]] {
        let app = TestApp::with_router(&tables, |store| {
            let inside = api(inner).store(store.clone()).init_app(Router::new());
            api(outer).store(store).init_app(inside)
        })
        .await;
        for path in ["/hello", "/v2/hello"] {
            app.get(path).await.expect_json(200, json!("hello"));
        }
        for path in ["/nowhere", "/v2/nowhere"] {
            expect_json_404(&app, path).await;
        }
    }
}
