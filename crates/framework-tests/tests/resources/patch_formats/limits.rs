//! Size and cost of patches whose changes depend on the row.

use std::time::{Duration, Instant};

use model_resource::{
    Api, Caller, Columns, Model, ModelPolicy, ModelResource, Operations, PATCH, Where, model_resource,
};
use serde_json::{Map, Value, json};
use test_support::TestApp;

use super::{json_patch, merge_patch, patch_as, served};

/// PAT-8: a patch makes no object that could not be sent as a body.
#[tokio::test]
async fn a_patch_cannot_grow_a_row_beyond_the_limit_of_bodies() {
    let app = served().await;
    // Each character has six bytes in JSON.
    let document = json!({"a": "\u{1}".repeat(200_000)});
    app.patch("/pages/1", json!({ "document": document }))
        .await
        .expect(200);
    let before = app.database().rows();
    let copy = |name: &str| json!({"op": "copy", "from": "/document/a", "path": format!("/document/{name}")});
    json_patch(&app, "/pages/1", json!([copy("b")])).await.expect(400);
    let merged = json!({"document": {"b": "\u{1}".repeat(200_000)}});
    merge_patch(&app, "/pages/1", merged).await.expect(400);
    assert_eq!(app.database().rows(), before);
    json_patch(
        &app,
        "/pages/1",
        json!([{"op": "replace", "path": "/title", "value": "Short"}]),
    )
    .await
    .expect(200);
}

/// PAT-8: objects and patches with very many values are refused, and nothing is changed.
#[tokio::test]
async fn patches_of_very_many_values_are_refused() {
    let app = served().await;
    let zeros = json!({"document": {"a": vec![0; 150_000]}});
    let refused = merge_patch(&app, "/pages/1", zeros.clone()).await.expect(400);
    assert!(refused.text().contains("application/json"), "{}", refused.text());
    app.patch("/pages/1", zeros).await.expect(200);
    let before = app.database().rows();
    let first = json!([{"op": "remove", "path": "/document/a/0"}]);
    json_patch(&app, "/pages/1", first).await.expect(400);
    merge_patch(&app, "/pages/1", json!({"document": {"b": 1}}))
        .await
        .expect(400);
    assert_eq!(app.database().rows(), before);
    // A merge patch without a document does not depend on the object.
    merge_patch(&app, "/pages/1", json!({"title": "Second"}))
        .await
        .expect(200);
}

/// PAT-8: the time of a merge patch grows with its length, not with its square.
#[tokio::test]
async fn many_members_are_removed_at_once() {
    let app = served().await;
    let members = |value: Value| -> Map<String, Value> {
        (0..40_000)
            .map(|number| (format!("k{number}"), value.clone()))
            .collect()
    };
    app.patch("/pages/1", json!({"document": members(json!(0))}))
        .await
        .expect(200);
    let start = Instant::now();
    let page = merge_patch(&app, "/pages/1", json!({"document": members(Value::Null)})).await;
    assert_eq!(page.expect(200).json()["document"], json!({}));
    // One removal after the other takes minutes without optimizations.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[derive(Debug, Clone, Model)]
#[model(table = "purses")]
struct Purse {
    id: i64,
    name: String,
    coins: i64,
    notes: i64,
    weight: Option<f64>,
}

struct PursePolicy;

impl ModelPolicy for PursePolicy {
    type Model = Purse;

    fn updatable(_: &Caller) -> Where<Purse> {
        Where::all()
    }

    fn hidden(_: &Caller) -> Columns<Purse> {
        Columns::of(Purse::COINS)
    }

    fn private() -> Columns<Purse> {
        Columns::of(Purse::NOTES)
    }

    fn shows_private(_: &Caller) -> Where<Purse> {
        Purse::NAME.eq("mine")
    }
}

struct PurseResource;

#[model_resource(Purse, "/purses", "/purses/<int:id>")]
impl ModelResource for PurseResource {
    const INCREMENT: Columns<Purse> = Columns::of(Purse::COINS).and(Purse::NOTES).and(Purse::WEIGHT);
}

async fn purses() -> TestApp {
    let api = Api::new("purses").policy::<PursePolicy>();
    TestApp::with_api(api.model_resource::<PurseResource>()).await
}

/// PAT-6: an increment tells nothing about a value that the caller does not see.
#[tokio::test]
async fn increments_of_invisible_columns_are_refused_whatever_their_values() {
    let app = purses().await;
    app.database().execute(
        "INSERT INTO purses (id, name, coins, notes) VALUES (1, 'yours', 5, 5), (2, 'yours', 9223372036854775807, 9223372036854775807)",
    );
    for column in ["coins", "notes"] {
        let patch = json!({column: {"$increment": 10}});
        let few = app.patch("/purses/1", patch.clone()).await;
        let many = app.patch("/purses/2", patch).await;
        assert!(few.status.is_client_error(), "{column}: {}", few.text());
        assert_eq!((few.status, few.text()), (many.status, many.text()), "{column}");
    }
}

/// PAT-6: a sum that is no number is refused.
#[tokio::test]
async fn an_infinite_sum_is_refused() {
    let app = purses().await;
    app.database()
        .execute("INSERT INTO purses (id, name, coins, notes, weight) VALUES (1, 'mine', 1, 1, 1.7e308)");
    let patch = json!({"weight": {"$increment": 1.7e308}});
    app.patch("/purses/1", patch).await.expect(400);
    assert_eq!(
        app.database()
            .value::<String>("SELECT count(*) FROM purses WHERE weight IS NOT NULL"),
        "1"
    );
}

#[derive(Debug, Clone, Model)]
#[model(table = "notes")]
struct Note {
    id: i64,
    text: String,
}

struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for NoteResource {
    const BULK_METHODS: Operations = Operations::of([PATCH]);
}

/// PAT-5: several objects cannot be merged.
#[tokio::test]
async fn a_merge_patch_of_several_objects_is_unsupported() {
    let app = TestApp::with_api(Api::new("notes").model_resource::<NoteResource>()).await;
    app.post("/notes", json!({"text": "x"})).await.expect(201);
    let patch = json!([{"id": 1, "text": "y"}]);
    merge_patch(&app, "/notes", patch.clone()).await.expect(415);
    patch_as(&app, "application/json", "/notes", patch)
        .await
        .expect(200);
}
