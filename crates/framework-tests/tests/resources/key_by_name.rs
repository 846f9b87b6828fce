//! Primary keys that a model does not declare.

use model_resource::{Api, Model, Uuid, model_resource};
use serde_json::json;
use test_support::TestApp;

#[derive(Model)]
struct Counted {
    id: i64,
    name: String,
}

#[model_resource(Counted, "/counted", "/counted/<int:id>")]
struct CountedResource;

#[derive(Model)]
struct Made {
    name: String,
    id: Uuid,
}

#[model_resource(Made, "/made", "/made/<uuid:id>")]
struct MadeResource;

/// A model whose key has another name: `id` is a column like any other.
#[derive(Model)]
struct Declared {
    id: i64,
    #[column(primary_key)]
    number: i64,
}

#[model_resource(Declared, "/declared", "/declared/<int:number>")]
struct DeclaredResource;

async fn app() -> TestApp {
    let api = Api::new("api")
        .model_resource::<CountedResource>()
        .model_resource::<MadeResource>()
        .model_resource::<DeclaredResource>();
    TestApp::with_api(api).await
}

/// MOD-31: the field `id` is the key, counted by the database or made when the row is written.
#[tokio::test]
async fn a_field_id_is_the_primary_key() {
    let app = app().await;
    let created = app.post("/counted", json!({"id": 7, "name": "a"})).await;
    created.expect_json(201, json!({"id": 1, "name": "a"}));
    let made = app.post("/made", json!({"name": "a"})).await.expect(201).json();
    let id: Uuid = made["id"].as_str().unwrap().parse().unwrap();
    app.get(&format!("/made/{id}")).await.expect_json(200, made);
}

/// MOD-31: a declared key leaves `id` to clients.
#[tokio::test]
async fn a_declared_key_takes_precedence_over_a_field_id() {
    let app = app().await;
    app.post("/declared", json!({})).await.expect(400);
    for number in [1, 2] {
        let created = app.post("/declared", json!({"id": 7})).await;
        created.expect_json(201, json!({"id": 7, "number": number}));
    }
}
