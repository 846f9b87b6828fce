//! Nullable columns, required columns and defaults.

use model_resource::{Api, Model, ModelSerializer, model_resource, serializer};
use serde_json::{Value, json};
use test_support::TestApp;

use super::expect_error;

#[derive(Model)]
struct Person {
    #[column(primary_key)]
    id: i64,
    first_name: String,
    last_name: Option<String>,
    #[column(default = "guest")]
    home_town: String,
    #[column(default = 3)]
    lives: i32,
    #[column(default = true)]
    awake: Option<bool>,
}

struct PersonSerializer;

#[serializer]
impl ModelSerializer for PersonSerializer {
    type Model = Person;
}

#[model_resource(Person, "/people", "/people/<int:id>")]
struct PersonResource;

async fn people() -> TestApp {
    let api = Api::new("api").serializer::<PersonSerializer>();
    TestApp::with_api(api.model_resource::<PersonResource>()).await
}

/// SER-10: a column with a default does not accept `null` unless it is nullable.
#[tokio::test]
async fn a_default_does_not_make_a_column_nullable() {
    let app = people().await;
    let body = json!({"firstName": "Ada", "lives": null, "awake": null});
    expect_error(app.post("/people", body).await, "lives", "Lives may not be null.");
    app.get("/people").await.expect_json(200, json!([]));
    let created = app
        .post("/people", json!({"firstName": "Ada", "awake": null}))
        .await;
    assert_eq!(created.expect(201).json()["awake"], Value::Null);
}

/// SER-11: a missing required column is reported.
#[tokio::test]
async fn every_missing_required_column_is_reported() {
    let app = people().await;
    expect_error(
        app.post("/people", json!({})).await,
        "firstName",
        "First Name is required.",
    );
    app.get("/people").await.expect_json(200, json!([]));
}

/// SER-11: absent columns get their default, or `null`.
#[tokio::test]
async fn absent_columns_get_their_default_or_null() {
    let app = people().await;
    let person = json!({
        "id": 1, "firstName": "Ada", "lastName": null, "homeTown": "guest", "lives": 3, "awake": true,
    });
    app.post("/people", json!({"firstName": "Ada"}))
        .await
        .expect_json(201, person.clone());
    app.get("/people/1").await.expect_json(200, person);
}
