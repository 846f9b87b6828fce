//! Serializers of the reference application.

mod datetimes;
mod fields;
mod nulls_and_defaults;
mod string_types;
mod types;

use serde_json::{Value, json};
use test_support::Response;

use crate::support::BackendApp;

const SAMPLES: &str = "/api/v1/samples";

/// Returns a body with every required column of the reference application's samples.
fn sample() -> Value {
    json!({
        "flag": true,
        "small": -7,
        "number": 70_000,
        "big": 9_007_199_254_740_993_i64,
        "single": 0.5,
        "ratio": 0.1,
        "text": "Grüße, \"世界\" \\ 🦀\n",
        "blob": "AAECAw==",
        "amount": "12.5000",
        "day": "2024-02-29",
        "clock": "23:59:59",
        "moment": "2024-05-06T07:08:09Z",
        "token": "0191d5f0-c0de-7000-8000-00000000abcd",
        "extra": {"snake_case": [1, 2.5, null], "CamelCase": {"a": true}},
        "color": "red",
    })
}

/// Returns the name of the nullable counterpart: `maybeFlag` for `flag`.
fn maybe(field: &str) -> String {
    let (first, rest) = field.split_at(1);
    format!("maybe{}{rest}", first.to_uppercase())
}

/// Returns the object with one member replaced.
fn with(mut object: Value, field: &str, value: Value) -> Value {
    object[field] = value;
    object
}

/// Sends a value for a column and its nullable counterpart, and returns both as the api returns them.
async fn stored(app: &BackendApp, field: &str, value: &str) -> [Value; 2] {
    let value: Value = serde_json::from_str(value).unwrap();
    let body = with(with(sample(), field, value.clone()), &maybe(field), value);
    let created = app.post(SAMPLES, body).await.expect(201).json();
    let item = format!("{SAMPLES}/{}", created["id"].as_str().unwrap());
    let read = app.get(&item).await.expect(200).json();
    assert_eq!(read, created, "{field}");
    [read[field].clone(), read[maybe(field)].clone()]
}

/// Asserts that create, put and patch reject a value for the column and its nullable counterpart, and change nothing.
/// The value is JSON text, since a JSON library cannot represent all of them.
async fn expect_refused(app: &BackendApp, field: &str, value: &str, message: &str) {
    let before = app.get(SAMPLES).await.expect(200).json();
    let id = before[0]["id"].as_str().expect("one sample is there").to_owned();
    let item = format!("{SAMPLES}/{id}");
    for name in [field.to_owned(), maybe(field)] {
        let mut rest = sample();
        rest.as_object_mut().unwrap().remove(&name);
        let members = rest.to_string();
        let whole = format!("{{\"{name}\": {value}, {}", &members[1..]);
        let part = format!("{{\"{name}\": {value}}}");
        for (method, path, body) in [
            (http::Method::POST, SAMPLES, &whole),
            (http::Method::PUT, &item, &whole),
            (http::Method::PATCH, &item, &part),
        ] {
            let body = Some(("application/json", body.clone().into()));
            let response = app.send(method.clone(), path, body).await;
            let errors = response.expect(400).json();
            assert_eq!(
                errors,
                json!({"errors": {&name: [message]}}),
                "{method}: {name} = {value}"
            );
        }
    }
    app.get(SAMPLES).await.expect_json(200, before);
}

/// Starts the reference application with one sample.
async fn app_with_sample() -> BackendApp {
    let app = BackendApp::start().await;
    app.post(SAMPLES, sample()).await.expect(201);
    app
}

/// Asserts a 400 with this one message under a field.
#[track_caller]
fn expect_error(response: Response, field: &str, message: &str) {
    response.expect_json(400, json!({"errors": {field: [message]}}));
}
