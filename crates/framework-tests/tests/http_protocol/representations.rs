//! Representations of single resources, and the default media type.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use model_resource::{Api, Model, ModelResource, Representations, Result, model_resource, route};
use serde_json::{Value, json};
use test_support::{TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "seeds")]
struct Seed {
    #[column(primary_key)]
    id: i64,
    name: String,
}

/// Renders the data after a word.
fn text(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    Ok((status, headers, format!("data {data}")).into_response())
}

#[model_resource(Seed, "/seeds", "/seeds/<int:id>")]
struct SeedResource;

struct CsvResource;

#[model_resource(Seed, "/csv", "/csv/<int:id>")]
impl ModelResource for CsvResource {
    fn representations() -> Representations {
        Representations::none().with("text/csv", text)
    }
}

struct SeveralResource;

#[model_resource(Seed, "/several", "/several/<int:id>")]
impl ModelResource for SeveralResource {
    fn representations() -> Representations {
        Representations::none()
            .with("text/markdown", text)
            .with("application/json", text)
    }
}

#[route("/view")]
async fn view() -> Value {
    json!({"a": 1})
}

fn api() -> Api {
    Api::new("seeds")
        .representation("text/plain", text)
        .model_resource::<SeedResource>()
        .model_resource::<CsvResource>()
        .model_resource::<SeveralResource>()
        .route(view)
}

async fn start(api: Api) -> TestApp {
    let app = TestApp::with_api(api).await;
    let client = app.client.with_header("accept", "application/json");
    client.post("/seeds", json!({"name": "a"})).await.expect(201);
    app
}

/// Returns the media type of the response to an `Accept` header, or to none.
async fn media_type(app: &TestApp, path: &str, accept: Option<&str>) -> String {
    let response = match accept {
        Some(accept) => app.client.with_header("accept", accept).get(path).await,
        None => app.get(path).await,
    };
    response.expect(200).header("content-type").to_owned()
}

/// REP-20: `Accept: */*`, none, and one that matches nothing select the first of the resource's own representations.
#[tokio::test]
async fn the_first_representation_of_a_resource_is_its_default() {
    let app = start(api()).await;
    for accept in [
        None,
        Some("*/*"),
        Some("text/*"),
        Some("image/png"),
        Some("nonsense"),
    ] {
        for path in ["/csv", "/csv/1"] {
            assert_eq!(
                media_type(&app, path, accept).await,
                "text/csv",
                "{path} {accept:?}"
            );
        }
        let several = media_type(&app, "/several/1", accept).await;
        assert_eq!(several, "text/markdown", "{accept:?}");
    }
    let csv = app.get("/csv/1").await.expect(200);
    assert_eq!(csv.text(), "data {\"id\":1,\"name\":\"a\"}");
    let made = app.post("/csv", json!({"name": "b"})).await.expect(201);
    assert_eq!(made.header("content-type"), "text/csv");
}

/// REP-20: the api's representations follow the resource's, and those of the same media type are replaced.
#[tokio::test]
async fn the_representations_of_the_api_come_after_those_of_the_resource() {
    let app = start(api()).await;
    for (accept, best) in [
        ("application/json", "application/json"),
        ("text/plain", "text/plain"),
        ("application/json, text/plain, text/csv", "text/csv"),
        ("application/json, text/plain", "application/json"),
        ("text/csv;q=0, */*", "application/json"),
        ("text/csv;q=0.1, */*;q=0.2", "application/json"),
        ("text/csv;q=0, image/png, text/plain", "text/plain"),
    ] {
        assert_eq!(media_type(&app, "/csv/1", Some(accept)).await, best, "{accept}");
    }
    let json = app.client.with_header("accept", "application/json");
    assert_eq!(json.get("/csv/1").await.text(), "{\"id\":1,\"name\":\"a\"}");
    let own = json.get("/several/1").await.text();
    assert_eq!(own, "data {\"id\":1,\"name\":\"a\"}");
    let refused = app
        .client
        .with_header("accept", "*/*;q=0")
        .get("/csv/1")
        .await
        .expect(406);
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("text/csv, application/json, text/plain"),
        "{message}"
    );
}

/// REP-20: a resource without its own representations, and a view, use the api's only.
#[tokio::test]
async fn other_resources_and_views_have_the_representations_of_the_api() {
    let app = start(api().default_mediatype("text/plain")).await;
    for path in ["/seeds", "/seeds/1", "/view"] {
        assert_eq!(media_type(&app, path, None).await, "text/plain", "{path}");
        assert_eq!(
            media_type(&app, path, Some("*/*")).await,
            "application/json",
            "{path}"
        );
    }
    assert_eq!(media_type(&app, "/csv/1", None).await, "text/csv");
}

/// REP-20: without a default media type, an unacceptable one is a 406 at such a resource too.
#[tokio::test]
async fn without_a_default_media_type_a_resource_rejects_unacceptable_ones() {
    let app = start(api().default_mediatype(None)).await;
    let png = app.client.with_header("accept", "image/png");
    png.get("/csv/1").await.expect(406);
    assert_eq!(media_type(&app, "/csv/1", None).await, "text/csv");
    assert_eq!(media_type(&app, "/csv/1", Some("*/*")).await, "text/csv");
}

fn bare() -> Api {
    Api::new("seeds")
}

/// REP-21: a default media type without a representation is rejected at startup, with the remedy.
#[tokio::test]
async fn a_default_media_type_without_a_representation_is_rejected() {
    let expected = "the default media type \"text/csv\" has no representation: add `.representation(\"text/csv\", ..)`, \
                    or choose one of those that the api has: application/json";
    for api in [
        bare(),
        bare().model_resource::<SeedResource>(),
        bare().route(view),
        bare().model_resource::<SeveralResource>(),
        bare()
            .model_resource::<CsvResource>()
            .model_resource::<SeedResource>(),
        bare().model_resource::<CsvResource>().route(view),
    ] {
        assert_eq!(
            startup_errors(api.default_mediatype("text/csv")).await,
            [expected]
        );
    }
}

/// REP-21: a default media type that the api, or every resource that needs it, has registered is accepted in any
/// spelling.
#[tokio::test]
async fn a_default_media_type_with_a_representation_is_accepted() {
    for api in [
        bare().default_mediatype("Application/JSON; charset=utf-8"),
        bare()
            .default_mediatype("text/csv")
            .representation("text/csv", text)
            .route(view),
        bare()
            .default_mediatype("text/csv")
            .model_resource::<CsvResource>(),
        bare()
            .default_mediatype("text/csv")
            .model_resource::<CsvResource>()
            .model_resource::<SeveralResource>(),
        bare().default_mediatype(None).route(view),
    ] {
        assert!(startup_errors(api).await.is_empty());
    }
}

/// REP-27: a list that a custom representation gets as a whole is limited in size, like a page.
#[tokio::test]
async fn a_list_that_is_too_large_for_a_custom_representation_is_rejected() {
    let app = start(api()).await;
    let text = "x".repeat(1024 * 1024);
    for _ in 0..33 {
        let insert = format!("INSERT INTO seeds (name) VALUES ('{text}')");
        app.database().execute(&insert);
    }
    let plain = app.client.with_header("accept", "text/plain");
    let rejected = plain.get("/seeds").await.expect(400).text();
    assert!(rejected.contains("too large for one answer"), "{rejected}");
    plain.get("/seeds?limit=2").await.expect(200);
    let json = app.client.with_header("accept", "application/json");
    json.get("/seeds").await.expect(200);
}
