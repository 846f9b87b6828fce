//! Parameters of URLs and their converters.

use http::Method;
use model_resource::{Api, Model, Params, model_resource, route};
use serde_json::{Value, json};
use test_support::TestApp;

/// A model whose key is any string.
#[derive(Debug, Clone, Model)]
struct Page {
    #[column(primary_key = client)]
    name: String,
    text: String,
}

#[model_resource(Page, "/pages", "/pages/<name>", "/tree/<path:name>")]
struct PageResource;

/// A model with a 32-bit key.
#[derive(Debug, Clone, Model)]
struct Small {
    #[column(primary_key)]
    id: i32,
    text: String,
}

#[model_resource(
    Small,
    "/smalls",
    "/smalls/<int:id>",
    "/areas/<area>/smalls/all",
    "/areas/<area>/smalls/no-<int:id>.json",
    unscoped("area")
)]
struct SmallResource;

#[route("/ratios/<float:x>")]
async fn ratio(params: Params) -> Value {
    json!(params.get("x"))
}

#[route("/keys/<uuid:id>")]
async fn key(params: Params) -> Value {
    json!(params.get("id"))
}

#[route("/ways/<any(up,down):way>")]
async fn way(params: Params) -> Value {
    json!(params.get("way"))
}

#[route("/who/<path:rest>")]
async fn who_rest(params: Params) -> Value {
    json!({"rest": params.last()})
}

#[route("/who/<name>")]
async fn who_name(params: Params) -> Value {
    json!({"name": params.last()})
}

#[route("/who/<int:id>")]
async fn who_id(params: Params) -> Value {
    json!({"id": params.last()})
}

#[route("/who/<any(you,them):other>")]
async fn who_other(params: Params) -> Value {
    json!({"other": params.last()})
}

#[route("/who/me")]
async fn who_me() -> Value {
    json!("me")
}

async fn app() -> TestApp {
    let api = Api::new("urls")
        .model_resource::<PageResource>()
        .model_resource::<SmallResource>()
        .route(ratio)
        .route(key)
        .route(way)
        .route(who_rest)
        .route(who_name)
        .route(who_id)
        .route(who_other)
        .route(who_me);
    TestApp::with_api(api).await
}

/// URL-1: `<name>` matches one segment of any text, percent-decoded.
#[tokio::test]
async fn a_plain_parameter_matches_one_segment_of_any_text() {
    let app = app().await;
    let page = json!({"name": "a b/ü%+?#", "text": "odd"});
    let made = app.post("/pages", page.clone()).await.expect(201);
    assert_eq!(made.header("location"), "/pages/a%20b%2F%C3%BC%25%2B%3F%23");
    app.get(made.header("location"))
        .await
        .expect_json(200, page.clone());
    app.get("/pages/a%20b%2f%c3%bc%25+%3F%23")
        .await
        .expect_json(200, page);
    app.post("/pages", json!({"name": "a/b", "text": "two segments"}))
        .await
        .expect(201);
    app.get("/pages/a/b").await.expect(404);
    app.get("/pages/a%2Fb").await.expect(200);
    app.get("/pages/%ff").await.expect(404);
}

/// URL-1: `<path:name>` matches several segments.
#[tokio::test]
async fn a_path_parameter_matches_several_segments() {
    let app = app().await;
    let page = json!({"name": "a/b c/d", "text": "deep"});
    app.post("/pages", page.clone()).await.expect(201);
    app.get("/tree/a/b%20c/d").await.expect_json(200, page);
    app.get("/tree/a/b%20c").await.expect(404);
    app.patch("/tree/a/b%20c/d", json!({"text": "deeper"}))
        .await
        .expect_json(200, json!({"name": "a/b c/d", "text": "deeper"}));
    app.get("/who/a/b").await.expect_json(200, json!({"rest": "a/b"}));
}

/// URL-2: the range is that of the key's own type.
#[tokio::test]
async fn a_number_beyond_a_small_key_is_not_found() {
    let app = app().await;
    app.post("/smalls", json!({"text": "one"})).await.expect(201);
    app.get("/smalls/1").await.expect(200);
    app.get("/smalls/2147483648").await.expect(404);
    app.get("/smalls/4294967297").await.expect(404);
    app.delete("/smalls/4294967297").await.expect(404);
    app.get("/smalls/1").await.expect(200);
}

/// URL-3: `<float:..>`, `<uuid:..>` and `<any(..):..>` match values of their type, and anything else is a 404.
#[tokio::test]
async fn the_other_converters_match_values_of_their_type() {
    let app = app().await;
    for (path, shown) in [
        ("/ratios/1.5", "1.5"),
        ("/ratios/0.25", "0.25"),
        (
            "/keys/0190163d-8694-739b-aea5-966c26f8ad91",
            "0190163d-8694-739b-aea5-966c26f8ad91",
        ),
        ("/ways/up", "up"),
        ("/ways/down", "down"),
    ] {
        app.get(path).await.expect_json(200, json!(shown));
    }
    for path in [
        "/ratios/one",
        "/ratios/1.5x",
        "/ratios/-1.5",
        "/ratios/nan",
        "/ratios/inf",
        "/ratios/.5",
        "/keys/0190163d",
        "/keys/0190163d-8694-739b-aea5-966c26f8ad9g",
        "/keys/0190163d8694739baea5966c26f8ad91",
        "/ways/left",
        "/ways/UP",
        "/ways/updown",
    ] {
        app.get(path).await.expect(404);
    }
}

/// URL-5: a URL whose last segment has a parameter is an item URL, and any other a collection URL.
#[tokio::test]
async fn a_parameter_at_the_end_makes_an_item_url_and_one_before_it_does_not() {
    let app = app().await;
    for text in ["one", "two"] {
        app.post("/areas/7/smalls/all", json!({"text": text}))
            .await
            .expect(201);
    }
    let both = json!([{"id": 1, "text": "one"}, {"id": 2, "text": "two"}]);
    app.get("/areas/7/smalls/all")
        .await
        .expect_json(200, both.clone());
    for method in [Method::PUT, Method::PATCH, Method::DELETE] {
        let body = json!({"text": "no"});
        let refused = app.send_json(method, "/areas/2/smalls/all", body).await;
        assert_eq!(refused.expect(405).header("allow"), "GET, HEAD, POST, OPTIONS");
    }
    app.get("/smalls").await.expect_json(200, both);
    let item = "/areas/7/smalls/no-2.json";
    app.get(item)
        .await
        .expect_json(200, json!({"id": 2, "text": "two"}));
    app.patch(item, json!({"text": "second"}))
        .await
        .expect_json(200, json!({"id": 2, "text": "second"}));
    app.post(item, json!({"text": "no"})).await.expect(405);
    app.delete(item).await.expect(204);
    app.get("/smalls")
        .await
        .expect_json(200, json!([{"id": 1, "text": "one"}]));
}

/// URL-6: if two registered URLs match, the narrower converter wins, regardless of the order of registration.
#[tokio::test]
async fn the_narrower_converter_wins() {
    let app = app().await;
    for (path, answer) in [
        ("/who/me", json!("me")),
        ("/who/you", json!({"other": "you"})),
        ("/who/7", json!({"id": "7"})),
        ("/who/-7", json!({"name": "-7"})),
        ("/who/bob", json!({"name": "bob"})),
        ("/who/7/8", json!({"rest": "7/8"})),
    ] {
        app.get(path).await.expect_json(200, answer);
    }
}
