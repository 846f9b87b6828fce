//! Values that cannot identify a row in a URL.

use model_resource::{
    Api, CREATE, Context, Draft, Errors, Model, ModelResource, Operations, PATCH, Reply, Result,
    model_resource,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "topics")]
struct Topic {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    code: String,
    #[column(unique)]
    nickname: Option<String>,
    #[column(min_length = 1)]
    title: String,
}

struct TopicResource;

#[model_resource(Topic, "/topics", "/topics/<code>")]
impl ModelResource for TopicResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

#[model_resource(Topic, "/numbers", "/numbers/<int:id>")]
struct NumberResource;

struct OwnResource;

/// Sets a code that no client could send.
#[model_resource(Topic, "/own", "/own/by/<code>")]
impl ModelResource for OwnResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE]);

    async fn create(cx: Context, mut topic: Draft<Topic>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        let code = topic.get(Topic::CODE).unwrap_or_default();
        topic.set(Topic::CODE, code.replace("dot", "."));
        cx.created(topic).await
    }
}

/// A page whose key is a path.
#[derive(Debug, Clone, Model)]
#[model(table = "files")]
struct File {
    #[column(primary_key = client)]
    path: String,
    size: i64,
}

#[model_resource(File, "/files", "/files/<path:path>")]
struct FileResource;

/// A model whose slug is generated from its title.
#[derive(Debug, Clone, Model)]
#[model(table = "essays")]
struct Essay {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(unique, slug(from = title))]
    slug: String,
}

#[model_resource(Essay, "/essays", "/essays/<slug>")]
struct EssayResource;

async fn app() -> TestApp {
    let api = Api::new("values")
        .model_resource::<TopicResource>()
        .model_resource::<NumberResource>()
        .model_resource::<OwnResource>()
        .model_resource::<FileResource>()
        .model_resource::<EssayResource>();
    let app = TestApp::with_api(api).await;
    let first = json!({"code": "first", "title": "First"});
    app.post("/topics", first).await.expect(201);
    app
}

const DOTS: &str = "Must not be \".\" or \"..\": it is a part of a URL.";
const EMPTY: &str = "Must not be empty: it is a part of a URL.";
const LONG: &str = "Must have at most 2048 bytes when it is percent-encoded: it is a part of a URL.";

/// URL-17: every write rejects a value that a client would resolve to another URL, or that makes a URL too long, as an
/// error of its field.
#[tokio::test]
async fn a_value_that_cannot_identify_a_row_in_a_url_is_an_error_of_its_field() {
    let app = app().await;
    let before = app.database().rows();
    let (long, encoded) = ("x".repeat(1_900_000), "ü".repeat(342));
    for (code, message) in [
        (".", DOTS),
        ("..", DOTS),
        ("", EMPTY),
        (&long, LONG),
        (&encoded, LONG),
    ] {
        let body = json!({"code": code, "title": "T"});
        let errors = json!({"errors": {"code": [message]}});
        for url in ["/topics", "/numbers", "/own"] {
            let refused = app.post(url, body.clone()).await;
            refused.expect_json(400, errors.clone());
        }
        for url in ["/topics/first", "/numbers/1"] {
            app.put(url, body.clone()).await.expect_json(400, errors.clone());
            let patch = json!({"code": code});
            app.patch(url, patch).await.expect_json(400, errors.clone());
        }
        let many = json!([{"code": "second", "title": "S"}, body]);
        let refused = app.post("/topics", many).await;
        refused.expect_json(400, json!({"errors": {"1": {"code": [message]}}}));
    }
    let both = app.post("/topics", json!({"code": "..", "title": ""})).await;
    let both = both.expect(400).json();
    assert!(
        both["errors"]["code"].is_array() && both["errors"]["title"].is_array(),
        "{both}"
    );
    assert_eq!(app.database().rows(), before);
}

/// URL-17: every other value has a URL, and a column that no URL uses accepts any value.
#[tokio::test]
async fn values_that_fit_a_url_are_accepted_and_found_at_it() {
    let app = app().await;
    let longest = "ü".repeat(341);
    for code in ["...", ".a", "a.", "../..", "a/..", "%2e", "%2e%2e", &longest] {
        let topic = json!({"code": code, "title": "T"});
        let made = app.post("/topics", topic).await.expect(201);
        let found = app.get(made.header("location")).await.expect(200).json();
        assert_eq!(found["code"], code);
    }
    let topic = json!({"code": "n", "nickname": "..", "title": "T"});
    app.post("/topics", topic).await.expect(201);
}

/// URL-17: each segment of a path is checked, and a trailing slash is rejected.
#[tokio::test]
async fn a_path_has_no_segments_that_a_client_resolves() {
    let app = app().await;
    for path in [".", "a/../b", "./a", "a/..", "a/", ""] {
        let refused = app.post("/files", json!({"path": path, "size": 1})).await;
        let refused = refused.expect(400).json();
        assert!(refused["errors"]["path"].is_array(), "{path}: {refused}");
    }
    for path in ["a/b.c", "a/...", ".a/b"] {
        let file = json!({"path": path, "size": 1});
        let made = app.post("/files", file.clone()).await.expect(201);
        app.get(made.header("location")).await.expect_json(200, file);
    }
}

/// URL-17: a value that the application sets itself, or that is stored already, has no `Location`. The row is served at
/// URLs that use another column.
#[tokio::test]
async fn a_row_with_a_value_that_no_url_can_contain_has_no_location() {
    let app = app().await;
    let made = app.post("/own", json!({"code": "dotdot", "title": "T"})).await;
    let made = made.expect(201);
    assert_eq!(made.json()["code"], "..");
    assert_eq!(made.header("location"), "");
    app.post("/own", json!({"code": "plain", "title": "T"}))
        .await
        .expect(201);
    app.database()
        .execute("INSERT INTO topics (code, title) VALUES ('.', 'Dot')");
    let dot: Value = app.get("/numbers").await.expect(200).json();
    let dot = dot.as_array().unwrap().iter().find(|topic| topic["code"] == ".");
    let url = format!("/numbers/{}", dot.unwrap()["id"]);
    app.patch(&url, json!({"title": "Changed"})).await.expect(200);
    let whole = json!({"code": ".", "title": "Again"});
    app.put(&url, whole).await.expect(200);
    app.patch(&url, json!({"code": "dot"})).await.expect(200);
    app.get("/topics/dot").await.expect(200);
}

/// URL-17: a slug that would be too long is an error of its source column.
#[tokio::test]
async fn a_title_whose_slug_is_too_long_is_rejected() {
    let app = app().await;
    let before = app.database().rows();
    let refused = app.post("/essays", json!({"title": "x".repeat(2049)})).await;
    let refused = refused.expect(400).json();
    let message = refused["errors"]["title"][0].as_str().unwrap();
    assert!(message.contains("2048"), "{message}");
    assert_eq!(app.database().rows(), before);
    let made = app.post("/essays", json!({"title": "x".repeat(2048)})).await;
    let made = made.expect(201);
    app.get(made.header("location")).await.expect(200);
    app.patch("/essays/x", json!({"title": "y"})).await.expect(404);
}
