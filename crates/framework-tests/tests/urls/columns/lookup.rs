//! Rows found by a unique column.

use model_resource::Api;
use serde_json::json;
use test_support::TestApp;

use super::{MailboxResource, MailboxSerializer, NationResource, api, app, country};

/// URL-10: every operation and `Location` use the unique column named by the parameter, not the primary key.
#[tokio::test]
async fn the_last_parameter_finds_the_row_by_the_unique_column_of_its_name() {
    let app = app().await;
    let made = app
        .post("/countries", json!({"code": "fr", "name": "France"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/countries/fr");
    app.get("/countries/fr")
        .await
        .expect_json(200, country(4, "fr", "France"));
    app.get("/countries/2")
        .await
        .expect_json(200, country(2, "2", "Two"));
    app.get("/countries/1").await.expect(404);
    app.get("/countries/FR").await.expect(404);
    app.get("/countries/a%20b%2F%C3%BC")
        .await
        .expect_json(200, country(3, "a b/ü", "Odd"));
    app.put("/countries/ch", json!({"code": "ch", "name": "Suisse"}))
        .await
        .expect_json(200, country(1, "ch", "Suisse"));
    app.patch("/countries/2", json!({"name": "Deux"}))
        .await
        .expect_json(200, country(2, "2", "Deux"));
    app.patch("/countries/1", json!({"name": "no"})).await.expect(404);
    app.put("/countries/3", json!({"code": "3", "name": "no"}))
        .await
        .expect(404);
    app.delete("/countries/1").await.expect(404);
    app.delete("/countries/2").await.expect(204);
    app.get("/countries").await.expect_json(
        200,
        json!([
            country(1, "ch", "Suisse"),
            country(3, "a b/ü", "Odd"),
            country(4, "fr", "France"),
        ]),
    );
}

/// URL-10: the parameter may be prefixed with the model's name. `id` is the primary key, regardless of its name.
#[tokio::test]
async fn a_parameter_may_name_the_model_too_and_id_is_the_key() {
    let app = app().await;
    app.get("/lands/ch")
        .await
        .expect_json(200, country(1, "ch", "Switzerland"));
    app.delete("/lands/ch").await.expect(204);
    app.get("/lands/ch").await.expect(404);
    let ann = json!({"number": 70, "name": "Ann"});
    let made = app.post("/persons", ann.clone()).await.expect(201);
    assert_eq!(made.header("location"), "/persons/70");
    app.get("/persons/70").await.expect_json(200, ann.clone());
    app.get("/names/Ann").await.expect_json(200, ann);
    app.get("/names/70").await.expect(404);
}

/// URL-10: a get by a unique column is one statement, as by the primary key.
#[tokio::test]
async fn a_get_by_a_unique_column_is_one_statement() {
    let app = app().await;
    let before = app.store.read_count();
    app.get("/countries/ch").await.expect(200);
    assert_eq!(app.store.read_count() - before, 1);
}

/// URL-10: a value of a normalized column is normalized before the lookup, also if the column has another name
/// elsewhere.
#[tokio::test]
async fn a_normalized_column_finds_every_spelling() {
    let api = Api::new("mail")
        .serializer::<MailboxSerializer>()
        .model_resource::<MailboxResource>();
    let app = TestApp::with_api(api).await;
    let stored = json!({"id": 1, "mail": "ann@example.com"});
    let made = app
        .post("/mailboxes", json!({"mail": " Ann@Example.com"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/mailboxes/ann%40example.com");
    for spelling in ["ann@example.com", "ANN@example.com", "%20Ann@Example.com"] {
        let url = format!("/mailboxes/{spelling}");
        app.get(&url).await.expect_json(200, stored.clone());
        app.patch(&url, json!({"mail": "ANN@example.com"}))
            .await
            .expect_json(200, stored.clone());
    }
    app.patch("/mailboxes", json!([{"mail": "ANN@Example.com"}]))
        .await
        .expect_json(200, json!([stored]));
    app.delete("/mailboxes?mail=Ann@Example.com").await.expect(204);
    app.get("/mailboxes").await.expect_json(200, json!([]));
}

/// URL-10: bulk requests identify objects by the unique column, in bodies and in queries.
#[tokio::test]
async fn bulk_requests_identify_objects_by_the_unique_column() {
    let app = app().await;
    app.patch(
        "/countries",
        json!([{"code": "ch", "name": "CH"}, {"code": "2", "name": "II"}]),
    )
    .await
    .expect_json(200, json!([country(1, "ch", "CH"), country(2, "2", "II")]));
    let before = app.database().rows();
    app.patch(
        "/countries",
        json!([{"code": "ch", "name": "x"}, {"code": "1", "name": "x"}]),
    )
    .await
    .expect(404);
    app.patch("/countries", json!([{"id": 1, "name": "x"}]))
        .await
        .expect_json(400, json!({"errors": {"0": {"code": ["Code is required."]}}}));
    app.delete("/countries?id=1").await.expect(400);
    assert_eq!(app.database().rows(), before);
    app.delete("/countries?code=ch&code=2").await.expect(204);
    app.get("/countries")
        .await
        .expect_json(200, json!([country(3, "a b/ü", "Odd")]));
}

/// URL-10: `param_converter` looks up by the unique column too, on a resource and on a view.
#[tokio::test]
async fn a_converter_finds_by_the_unique_column() {
    let app = app().await;
    app.get("/hand/ch")
        .await
        .expect_json(200, country(1, "ch", "Switzerland"));
    app.get("/hand/1").await.expect(404);
    app.get("/capitals/ch")
        .await
        .expect_json(200, json!("Switzerland"));
    app.get("/capitals/1").await.expect(404);
    app.delete("/hand/ch").await.expect(204);
    app.get("/countries/ch").await.expect(404);
}

/// URL-10: `Location` uses a nullable column only if no other URL exists and it has a value.
#[tokio::test]
async fn a_location_uses_a_nullable_column_only_if_it_has_a_value() {
    let api = api().model_resource::<NationResource>();
    let app = TestApp::with_api(api).await;
    let made = app
        .post(
            "/nations",
            json!({"code": "fr", "name": "France", "nickname": "l'hexagone"}),
        )
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/nations/by/1");
    app.get("/nations/l'hexagone").await.expect_json(200, made.json());
    app.get("/nations/null").await.expect(404);
}
