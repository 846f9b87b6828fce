//! Keys of the objects that upserts create and change.

use model_resource::{
    Api, Caller, Columns, Date, Model, ModelPolicy, ModelResource, ModelSerializer, Where, model_resource,
    serializer,
};
use serde_json::json;
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "words")]
struct Word {
    #[column(primary_key = client, max_length = 5, pattern = "[a-z]+")]
    name: String,
    text: String,
}

struct WordResource;

#[model_resource(Word, "/words", "/words/<name>")]
impl ModelResource for WordResource {
    const PUT_CREATES: bool = true;
}

struct KeylessSerializer;

#[serializer]
impl ModelSerializer for KeylessSerializer {
    type Model = Word;
    const READ_ONLY: Columns<Word> = Columns::of(Word::NAME);
}

/// The key is only in the URL.
struct KeylessResource;

#[model_resource(Word, "/keyless", "/keyless/<name>", serializer = KeylessSerializer)]
impl ModelResource for KeylessResource {
    const PUT_CREATES: bool = true;
}

/// UPS-1: the key in the URL is validated even if no body has it.
#[tokio::test]
async fn a_key_that_bodies_do_not_have_is_validated() {
    let app = TestApp::with_api(Api::new("words").model_resource::<KeylessResource>()).await;
    let refused = app
        .put("/keyless/TOOLONG", json!({"text": "x"}))
        .await
        .expect(400);
    assert!(refused.json()["errors"]["name"].is_array(), "{}", refused.text());
    app.put("/keyless/word", json!({"text": "x"})).await.expect(201);
}

#[derive(Debug, Clone, Model)]
#[model(table = "days")]
struct Day {
    #[column(primary_key = client)]
    day: Date,
    text: String,
}

struct DayResource;

#[model_resource(Day, "/days", "/days/<day>")]
impl ModelResource for DayResource {
    const PUT_CREATES: bool = true;
}

/// UPS-1: the key in the URL is validated like one in a body.
#[tokio::test]
async fn the_key_of_a_new_object_is_validated() {
    let app = TestApp::with_api(
        Api::new("words")
            .model_resource::<WordResource>()
            .model_resource::<DayResource>(),
    )
    .await;
    for name in ["toolong", "A1"] {
        let posted = app
            .post("/words", json!({"name": name, "text": "x"}))
            .await
            .expect(400);
        let put = app
            .put(&format!("/words/{name}"), json!({"text": "x"}))
            .await
            .expect(400);
        assert_eq!(put.json()["errors"], posted.json()["errors"]);
    }
    app.put("/words/word", json!({"text": "x"})).await.expect(201);
    // A key that is no value of its type names no object, whatever the body says.
    let day = json!({"day": "2026-01-01", "text": "x"});
    app.put("/days/tomorrow", day.clone()).await.expect(404);
    app.get("/days").await.expect_json(200, json!([]));
    app.put("/days/2026-01-01", day).await.expect(201);
}

struct WordPolicy;

impl ModelPolicy for WordPolicy {
    type Model = Word;

    fn updatable(_: &Caller) -> Where<Word> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn read_only(_: &Caller) -> Columns<Word> {
        Columns::of(Word::NAME)
    }
}

/// UPS-3: a caller who may not set the key does not choose it by the URL.
#[tokio::test]
async fn a_read_only_key_is_not_chosen_by_the_url() {
    let api = Api::new("words")
        .policy::<WordPolicy>()
        .model_resource::<WordResource>();
    let app = TestApp::with_api(api).await;
    app.put("/words/word", json!({"text": "x"})).await.expect(403);
    app.get("/words").await.expect_json(200, json!([]));
}

#[derive(Debug, Clone, Model)]
#[model(table = "categories", unique(parent_id, name))]
struct Category {
    #[column(primary_key)]
    id: i64,
    #[column(references = Category)]
    parent_id: Option<i64>,
    name: String,
    #[column(default = "")]
    text: String,
}

struct CategoryResource;

#[model_resource(
    Category,
    "/categories",
    "/categories/<int:category_id>",
    "/categories/<int:category_id>/children"
)]
impl ModelResource for CategoryResource {
    const MERGE_DUPLICATES: Columns<Category> = Columns::of(Category::PARENT_ID).and(Category::NAME);
}

/// UPS-6: a merge below a parent changes the duplicate, and not the parent whose parameter has the same name.
#[tokio::test]
async fn a_merge_does_not_change_the_parent() {
    let app = TestApp::with_api(Api::new("shop").model_resource::<CategoryResource>()).await;
    app.post("/categories", json!({"name": "parent"}))
        .await
        .expect(201);
    let merging = app.with_header("prefer", "resolution=merge-duplicates");
    let child = |text: &str| json!({"name": "child", "text": text});
    merging
        .post("/categories/1/children", child("one"))
        .await
        .expect(201);
    let merged = merging
        .post("/categories/1/children", child("two"))
        .await
        .expect(200)
        .json();
    assert_eq!(
        merged,
        json!({"id": 2, "parentId": 1, "name": "child", "text": "two"})
    );
    let parent = json!({"id": 1, "parentId": null, "name": "parent", "text": ""});
    app.get("/categories/1").await.expect_json(200, parent);
    merging
        .with_header("if-match", "\"x\"")
        .post("/categories/1/children", child("three"))
        .await
        .expect(400);
}
