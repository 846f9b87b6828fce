//! Caching of pages whose JSON may be cached.

use axum::response::IntoResponse;
use http::{HeaderValue, header};
use model_resource::{
    Api, Context, MethodDecorators, Model, ModelResource, Next, Pages, Reply, Result, model_resource,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
struct Lamp {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct LampResource;

#[model_resource(Lamp, "/lamps", "/lamps/<int:id>")]
impl ModelResource for LampResource {
    const PUBLIC: bool = true;

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(cached)
    }
}

/// Lets everybody cache the JSON, and revalidate it.
async fn cached(cx: Context, next: Next) -> Result<Reply> {
    let known = cx.headers().get(header::IF_NONE_MATCH).cloned();
    let mut reply = next.run(cx).await?;
    if known.is_some_and(|known| known == "\"1\"") {
        reply = http::StatusCode::NOT_MODIFIED.into_response().into();
    }
    let reply = reply.with_header(header::ETAG, HeaderValue::from_static("\"1\""));
    let caching = HeaderValue::from_static("public, max-age=60");
    Ok(reply.with_header(header::CACHE_CONTROL, caching))
}

/// PAGE-42
#[tokio::test]
async fn a_page_is_not_cached_as_its_json() {
    let api = Api::new("lighting")
        .prefix("/api")
        .authenticator(HeaderAuthenticator)
        .model_resource::<LampResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.post("/api/lamps", json!({"name": "desk"})).await.expect(201);
    let json = app.get("/api/lamps/1").await.expect(200);
    assert_eq!(json.header("cache-control"), "public, max-age=60");
    let browser = app.with_header("accept", "text/html");
    for path in ["/api/lamps", "/api/lamps/1"] {
        let page = browser.get(path).await.expect(200);
        assert_eq!(page.header("cache-control"), "no-cache", "{path}");
        assert_eq!(page.header("etag"), "", "{path}");
        // The page names the caller.
        let page = browser.as_caller("7").get(path).await.expect(200);
        assert_eq!(page.header("cache-control"), "no-store", "{path}");
        assert_eq!(page.header("etag"), "", "{path}");
        // The browser may have the JSON of this URL.
        let revalidating = browser.with_header("if-none-match", "\"1\"");
        let page = revalidating.get(path).await.expect(200);
        assert!(page.text().contains("desk"), "{path}");
    }
}
