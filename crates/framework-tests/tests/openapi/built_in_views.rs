//! Views that the framework itself adds to an api.

use http::StatusCode;
use model_resource::{Api, Authenticate, Caller, Context, Error, Model, Result, model_resource, route};
use serde_json::json;
use test_support::{TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
struct Lamp {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Lamp, "/lamps", "/lamps/<int:id>")]
struct LampResource;

fn lamps(prefix: &str) -> Api {
    Api::new("lighting")
        .prefix(prefix)
        .model_resource::<LampResource>()
}

/// OAS-20: the document is below the prefix, in JSON whatever the client accepts, and not among the routes.
#[tokio::test]
async fn the_document_is_below_the_prefix_and_not_among_the_routes() {
    for prefix in ["", "/api/v1", "/t/<tenant>"] {
        let api = || match prefix {
            "/t/<tenant>" => lamps(prefix).unscoped("tenant").openapi(),
            _ => lamps(prefix).openapi(),
        };
        let routes = api().compile().routes();
        assert!(routes.iter().all(|route| route.url.contains("/lamps")));
        let app = TestApp::with_api(api()).await;
        let url = format!("{}/openapi.json", prefix.replace("<tenant>", "acme"));
        for accept in ["application/json", "text/css", "*/*"] {
            let document = app.with_header("accept", accept).get(&url).await.expect(200);
            assert_eq!(document.header("content-type"), "application/json");
            assert_eq!(document.json()["openapi"], "3.1.0");
        }
        assert_eq!(app.head(&url).await.expect(200).text(), "");
        let post = app.post(&url, json!({})).await;
        assert_eq!(post.status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(post.header("allow"), "GET, HEAD, OPTIONS");
    }
}

/// OAS-20: without the call the URL does not exist.
#[tokio::test]
async fn an_api_without_the_call_has_no_document() {
    let app = TestApp::with_api(lamps("/api/v1")).await;
    app.get("/api/v1/openapi.json").await.expect(404);
}

/// Authenticator that rejects everybody.
struct Closed;

impl Authenticate for Closed {
    async fn authenticate(&self, _: &mut Context) -> Result<Caller> {
        Err(Error::unauthorized())
    }
}

/// OAS-20: an invalid credential is rejected as at every other URL.
#[tokio::test]
async fn the_document_is_served_after_authentication() {
    let app = TestApp::with_api(lamps("/api/v1").authenticator(Closed).openapi()).await;
    app.get("/api/v1/openapi.json").await.expect(401);
}

#[route("/openapi.json")]
async fn own_document() -> &'static str {
    "own"
}

#[route("/openapi.json", methods = [POST])]
async fn check_document() -> &'static str {
    "checked"
}

/// OAS-20: an application that answers the URL itself is rejected at startup, unless it answers other methods.
#[tokio::test]
async fn a_view_at_the_url_of_the_document_is_a_mistake() {
    let errors = startup_errors(lamps("/api/v1").route(own_document).openapi()).await;
    assert_eq!(
        errors,
        [
            "`/api/v1/openapi.json` is answered by own_document and by `Api::openapi()`: change the URL of own_document"
        ]
    );
    let app = TestApp::with_api(lamps("/api/v1").route(check_document).openapi()).await;
    app.post("/api/v1/openapi.json", json!({})).await.expect(200);
    app.get("/api/v1/openapi.json").await.expect(200);
}
