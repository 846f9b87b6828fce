//! Slugs that stay, and slugs with constraints.

use backend::api::{Api, ModelSerializer};
use model_resource::{Model, Timestamp, model_resource, serializer};
use serde_json::json;

use super::expect_error;
use crate::support::{TestApp, rows};

#[derive(Model)]
struct Essay {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(slug(from = title, stable), unique)]
    permalink: String,
    #[column(slug(from = title), min_length = 1, max_length = 8)]
    slug: String,
    #[column(updated)]
    updated_at: Timestamp,
}

struct EssaySerializer;

#[serializer]
impl ModelSerializer for EssaySerializer {
    type Model = Essay;
}

#[model_resource(Essay, "/essays", "/essays/<int:id>")]
struct EssayResource;

async fn app() -> TestApp {
    let api = Api::new("api").serializer::<EssaySerializer>();
    TestApp::with_api(api.model_resource::<EssayResource>()).await
}

/// SER-28: a stable slug is made when the row is created and stays when its source changes; another one follows.
#[tokio::test]
async fn a_stable_slug_stays_when_its_source_changes() {
    let app = app().await;
    let created = app
        .post("/essays", json!({"title": "One"}))
        .await
        .expect(201)
        .json();
    assert_eq!(
        (&created["permalink"], &created["slug"]),
        (&json!("one"), &json!("one"))
    );
    for (path, body) in [
        ("/essays/1", json!({"title": "Two"})),
        ("/essays/1", json!({"title": "Three"})),
    ] {
        let patched = app.patch(path, body.clone()).await.expect(200).json();
        assert_eq!(patched["permalink"], "one");
        assert_eq!(patched["slug"], body["title"].as_str().unwrap().to_lowercase());
    }
    let put = app
        .put("/essays/1", json!({"title": "Four"}))
        .await
        .expect(200)
        .json();
    assert_eq!((&put["permalink"], &put["slug"]), (&json!("one"), &json!("four")));
    // The slug of a title that is free again is still in use.
    let taken = app.post("/essays", json!({"title": "One"})).await;
    expect_error(taken, "title", "Title is already taken.");
}

/// SER-31: a slug that its own column does not take is an error of the column that it is made from.
#[tokio::test]
async fn a_slug_that_its_column_does_not_take_is_an_error_of_its_source() {
    let app = app().await;
    app.post("/essays", json!({"title": "One"})).await.expect(201);
    let before = rows(&app.database());
    for (title, message) in [
        ("!!!", "May not be empty."),
        ("Nine Lives", "Longer than the maximum length 8."),
    ] {
        let body = json!({"title": title});
        expect_error(app.post("/essays", body.clone()).await, "title", message);
        expect_error(app.patch("/essays/1", body.clone()).await, "title", message);
        expect_error(app.put("/essays/1", body).await, "title", message);
    }
    assert_eq!(rows(&app.database()), before);
}
