//! Nullable columns, required columns, defaults and generated values.

use std::time::Duration;

use model_resource::Timestamp;
use serde_json::{Value, json};

use super::{SAMPLES, app_with_sample, expect_error, maybe, sample, with};
use crate::support::BackendApp;

/// SER-10: a nullable column of any type accepts `null`, returns it, and can be reset to it.
#[tokio::test]
async fn a_nullable_column_accepts_and_returns_null() {
    let app = BackendApp::start().await;
    let mut body = sample();
    for (field, value) in sample().as_object().unwrap() {
        body[maybe(field)] = value.clone();
    }
    let full = app.post(SAMPLES, body.clone()).await.expect(201).json();
    let item = format!("{SAMPLES}/{}", full["id"].as_str().unwrap());
    for field in sample().as_object().unwrap().keys() {
        let name = maybe(field);
        let patched = app.patch(&item, json!({&name: null})).await.expect(200).json();
        assert_eq!(patched[&name], Value::Null, "{name}");
        assert_eq!(app.get(&item).await.json(), patched);
        body[&name] = Value::Null;
    }
    let created = app.post(SAMPLES, body.clone()).await.expect(201).json();
    assert_eq!(created, with(body, "id", created["id"].clone()));
}

/// SER-10: `null` for any other column is an error of its field, in create, put and patch.
#[tokio::test]
async fn null_for_any_other_column_is_an_error_of_its_field() {
    let app = app_with_sample().await;
    let before = app.get(SAMPLES).await.json();
    let item = format!("{SAMPLES}/{}", before[0]["id"].as_str().unwrap());
    for field in sample().as_object().unwrap().keys() {
        let (first, rest) = field.split_at(1);
        let message = format!("{}{rest} may not be null.", first.to_uppercase());
        let whole = with(sample(), field, Value::Null);
        expect_error(app.post(SAMPLES, whole.clone()).await, field, &message);
        expect_error(app.put(&item, whole).await, field, &message);
        expect_error(app.patch(&item, json!({field: null})).await, field, &message);
    }
    app.get(SAMPLES).await.expect_json(200, before);
}

/// SER-11: every missing required column is reported, all at once.
#[tokio::test]
async fn every_missing_required_column_is_reported_at_once() {
    let app = BackendApp::start().await;
    let refused = app.post(SAMPLES, json!({})).await.expect(400).json();
    let mut expected = json!({});
    for field in sample().as_object().unwrap().keys() {
        let (first, rest) = field.split_at(1);
        expected[field] = json!([format!("{}{rest} is required.", first.to_uppercase())]);
    }
    assert_eq!(refused, json!({ "errors": expected }));
    app.get(SAMPLES).await.expect_json(200, json!([]));
}

/// SER-11: absent nullable columns without a default are `null`.
#[tokio::test]
async fn absent_nullable_columns_are_null() {
    let app = BackendApp::start().await;
    let created = app.post(SAMPLES, sample()).await.expect(201).json();
    for field in sample().as_object().unwrap().keys() {
        assert_eq!(created[maybe(field)], Value::Null, "{field}");
    }
}

fn moment(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

/// SER-12: `created` is set once and `updated` with every change.
#[tokio::test]
async fn created_and_updated_are_set_by_the_server() {
    let app = BackendApp::start().await;
    let before = Timestamp::now();
    let created = app
        .post("/api/v1/categories", json!({"name": "A"}))
        .await
        .expect(201)
        .json();
    assert_eq!(created["createdAt"], created["updatedAt"]);
    let made = moment(&created["createdAt"]);
    assert!(made.as_microsecond() >= before.as_microsecond() && made <= Timestamp::now());

    for (change, name) in ["B", "C"].into_iter().enumerate() {
        tokio::time::sleep(Duration::from_millis(2)).await;
        let earlier = app.get("/api/v1/categories/1").await.json();
        let body = json!({ "name": name });
        let changed = match change {
            0 => app.patch("/api/v1/categories/1", body).await,
            _ => app.put("/api/v1/categories/1", body).await,
        };
        let changed = changed.expect(200).json();
        assert_eq!(changed["createdAt"], created["createdAt"]);
        assert!(
            moment(&changed["updatedAt"]) > moment(&earlier["updatedAt"]),
            "{name}"
        );
        app.get("/api/v1/categories/1").await.expect_json(200, changed);
    }
}

/// SER-12: a slug is generated from its source column, and again when that column changes.
#[tokio::test]
async fn a_slug_is_generated_from_its_source_column() {
    let app = BackendApp::start().await;
    let body = json!({"title": "Grüße, World!  Again", "body": "b"});
    let created = app.post("/api/v1/articles", body).await.expect(201).json();
    assert_eq!(created["slug"], "grusse-world-again");
    let same = app.patch("/api/v1/articles/1", json!({"body": "c"})).await;
    assert_eq!(same.expect(200).json()["slug"], "grusse-world-again");
    let other = app.patch("/api/v1/articles/1", json!({"title": "Other"})).await;
    assert_eq!(other.expect(200).json()["slug"], "other");
}

/// SER-13: read-only keys are ignored in a body, even with invalid values.
#[tokio::test]
async fn a_read_only_key_has_no_effect_in_a_body() {
    let app = BackendApp::start().await;
    let body = json!({
        "name": "A", "id": 77, "slug": "mine", "createdAt": "2001-01-01T00:00:00Z", "updatedAt": 5,
    });
    let created = app
        .post("/api/v1/categories", body.clone())
        .await
        .expect(201)
        .json();
    assert_eq!((&created["id"], &created["slug"]), (&json!(1), &json!("a")));
    assert!(moment(&created["createdAt"]) > moment(&json!("2020-01-01T00:00:00Z")));

    let body = json!({"name": "A", "slug": null, "createdAt": "2001-01-01T00:00:00Z", "updatedAt": [1]});
    for method in [http::Method::PUT, http::Method::PATCH] {
        app.send_json(method, "/api/v1/categories/1", body.clone())
            .await
            .expect_json(200, created.clone());
    }
    app.get("/api/v1/categories/1").await.expect_json(200, created);
}
