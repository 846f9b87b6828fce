//! Versions that a client has in another representation.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use model_resource::{
    Api, Context, GET, MethodDecorators, Model, ModelResource, Next, Reply, Representations, Result,
    model_resource,
};
use serde_json::{Value, json};
use test_support::TestApp;

use super::{if_match, if_none_match, tag};

#[derive(Debug, Clone, Model)]
#[model(table = "seeds")]
struct Seed {
    #[column(primary_key)]
    id: i64,
    name: String,
}

fn text(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    Ok((status, headers, format!("data {data}")).into_response())
}

#[model_resource(Seed, "/seeds", "/seeds/<int:id>")]
struct SeedResource;

/// Its default representation is a text.
struct PlainResource;

#[model_resource(Seed, "/plain", "/plain/<int:id>")]
impl ModelResource for PlainResource {
    fn representations() -> Representations {
        Representations::none().with("text/plain", text)
    }
}

/// Lets caches store all representations.
struct CachedResource;

#[model_resource(Seed, "/cached", "/cached/<int:id>")]
impl ModelResource for CachedResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(GET, cached)
    }
}

async fn cached(cx: Context, next: Next) -> Result<Reply> {
    let reply = next.run(cx).await?;
    Ok(reply.with_header(header::CACHE_CONTROL, HeaderValue::from_static("max-age=60")))
}

/// Starts the api with a seed.
async fn started(api: Api) -> TestApp {
    let api = api.representation("text/plain", text);
    let api = api
        .model_resource::<SeedResource>()
        .model_resource::<PlainResource>()
        .model_resource::<CachedResource>();
    let app = TestApp::with_api(api).await;
    app.post("/seeds", json!({"name": "a"})).await.expect(201);
    app
}

/// VSN-1, VSN-12: the tag is that of the default representation, but caches store and revalidate the default one only.
#[tokio::test]
async fn only_the_default_representation_is_stored_and_revalidated() {
    for api in [Api::new("seeds"), Api::new("seeds").default_mediatype(None)] {
        let app = started(api).await;
        for (path, default, other) in [
            ("/seeds/1", "application/json", "text/plain"),
            ("/plain/1", "text/plain", "application/json"),
        ] {
            let default = app.client.with_header("accept", default);
            let other = app.client.with_header("accept", other);
            let (stored, unstored) = (default.get(path).await, other.get(path).await);
            assert_eq!(tag(&stored), tag(&unstored), "{path}");
            assert_eq!(stored.header("cache-control"), "", "{path}");
            assert_eq!(unstored.header("cache-control"), "no-store", "{path}");
            let known = tag(&stored);
            if_none_match(&default, &known).get(path).await.expect(304);
            if_none_match(&other, &known).head(path).await.expect(200);
            let sent = if_none_match(&other, &known).get(path).await.expect(200);
            assert_eq!(sent.text(), unstored.text());
        }
    }
}

/// VSN-12: the other representations can be written back with their tag.
#[tokio::test]
async fn the_tag_of_another_representation_is_that_of_the_row() {
    let app = started(Api::new("seeds")).await;
    let plain = app.client.with_header("accept", "text/plain");
    let known = tag(&plain.get("/seeds/1").await.expect(200));
    if_match(&app.client, &known)
        .patch("/seeds/1", json!({"name": "b"}))
        .await
        .expect(200);
    if_match(&plain, &known).get("/seeds/1").await.expect(412);
}

/// VSN-12: an application that lets caches store a representation decides that itself.
#[tokio::test]
async fn the_caching_of_an_application_is_not_replaced() {
    let app = started(Api::new("seeds")).await;
    for accept in ["application/json", "text/plain"] {
        let client = app.client.with_header("accept", accept);
        let response = client.get("/cached/1").await.expect(200);
        assert_eq!(response.header("cache-control"), "max-age=60");
    }
}
