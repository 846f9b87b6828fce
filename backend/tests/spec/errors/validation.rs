//! Validation errors, field by field.

use bytes::Bytes;
use http::Method;
use serde_json::{Map, Value, json};

use crate::support::BackendApp;

/// ERR-1, ERR-2: every invalid field is reported at once, under its JSON key, as a list of sentences.
#[tokio::test]
async fn a_rejected_body_is_a_400_that_names_every_faulty_field_at_once() {
    let app = BackendApp::start().await;
    let before = app.database().rows();
    let article =
        json!({"title": "", "published": 1, "rating": "five", "publishDate": "2024-02-30", "nope": 1});
    app.post("/api/v1/articles", article).await.expect_json(
        400,
        json!({"errors": {
            "title": ["May not be empty."],
            "body": ["Body is required."],
            "published": ["Not a valid boolean."],
            "rating": ["Not a valid number."],
            "publishDate": ["Not a valid date; send it as YYYY-MM-DD."],
            "nope": ["Unknown field."],
        }}),
    );
    assert_eq!(app.database().rows(), before);
}

/// ERR-1: put, patch and login reject a body in the same form as create.
#[tokio::test]
async fn every_writing_operation_rejects_in_the_same_form() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = app.database().rows();
    let errors = json!({"errors": {"name": ["Not a valid string."]}});
    let body = json!({"name": 1});
    app.post("/api/v1/categories", body.clone())
        .await
        .expect_json(400, errors.clone());
    app.put("/api/v1/categories/1", body.clone())
        .await
        .expect_json(400, errors.clone());
    app.patch("/api/v1/categories/1", body)
        .await
        .expect_json(400, errors);
    assert_eq!(app.database().rows(), before);
    let login = app.post("/api/v1/auth/login", json!({"email": 1})).await;
    let answer = login.expect(400).json();
    assert_eq!(answer.as_object().unwrap().len(), 1);
    assert!(answer["errors"]["email"][0].is_string(), "{answer}");
}

/// ERR-2: errors of the whole body are under `_schema`.
#[tokio::test]
async fn errors_of_the_whole_body_are_under_schema() {
    let app = BackendApp::start().await;
    for body in [json!([]), json!("x"), json!(1), json!(null), json!(true)] {
        app.post("/api/v1/categories", body)
            .await
            .expect_json(400, json!({"errors": {"_schema": ["Expected a JSON object."]}}));
    }
    for body in [
        json!({}),
        json!({"name": "x"}),
        json!({"tag": []}),
        json!({"tag": {}, "x": 1}),
    ] {
        let expected = "Expected an object with the single key \"tag\".";
        app.post("/api/v1/tags", body)
            .await
            .expect_json(400, json!({"errors": {"_schema": [expected]}}));
    }
    app.get("/api/v1/categories").await.expect_json(200, json!([]));
}

/// ERR-3: the number of messages is limited, also for a body with thousands of errors.
#[tokio::test]
async fn the_number_of_reported_errors_has_an_upper_bound() {
    let app = BackendApp::start().await;
    let body: Map<String, Value> = (0..5000).map(|i| (format!("key{i}"), json!(i))).collect();
    let answer = app
        .post("/api/v1/categories", body.into())
        .await
        .expect(400)
        .json();
    assert_eq!(answer["errors"].as_object().unwrap().len(), 100);
    app.get("/api/v1/categories").await.expect_json(200, json!([]));
}

/// ERR-8: invalid JSON and invalid UTF-8 are a 400 with line and column.
#[tokio::test]
async fn malformed_json_and_invalid_utf8_are_a_400_with_line_and_column() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = app.database().rows();
    let bodies: [(&[u8], &str); 6] = [
        (b"{\"name\": \"x\",\n  \"name2\" 1}", "line 2 column 11"),
        (b"{\"name\": \"x\"", "line 1 column 12"),
        (b"{\"name\": \"x\"} {}", "line 1 column 15"),
        (b"\n\nnope", "line 3 column 2"),
        (b"{\"name\":\n \"\xff\"}", "line 2 column 3"),
        (b"\xef\xbb\xbf{\"name\": \"x\"}", "line 1 column 1"),
    ];
    for (body, place) in bodies {
        for (method, url) in [
            (Method::POST, "/api/v1/categories"),
            (Method::PUT, "/api/v1/categories/1"),
            (Method::PATCH, "/api/v1/categories/1"),
        ] {
            let sent = Some(("application/json", Bytes::from_static(body)));
            let answer = app.send(method, url, sent).await.expect(400).json();
            let message = answer["message"].as_str().unwrap();
            assert!(message.contains(place), "{message:?} does not name {place}");
        }
    }
    assert_eq!(app.database().rows(), before);
}

/// ERR-8: a duplicate key is rejected at every depth.
#[tokio::test]
async fn a_key_that_occurs_twice_is_a_400() {
    let app = BackendApp::start().await;
    let before = app.database().rows();
    for (url, body) in [
        ("/api/v1/categories", r#"{"name": "a", "name": "b"}"#),
        ("/api/v1/categories", r#"{"name": "a", "n\u0061me": "b"}"#),
        ("/api/v1/categories", r#"{"name": "a", "id": 1, "id": 2}"#),
        ("/api/v1/categories", r#"{"name": "a", "x": 1, "x": 2}"#),
        ("/api/v1/tags", r#"{"tag": {"name": "a"}, "tag": {"name": "b"}}"#),
        ("/api/v1/tags", r#"{"tag": {"name": "a", "name": "b"}}"#),
        (
            "/api/v1/auth/login",
            r#"{"email": "a", "email": "b", "password": "c"}"#,
        ),
    ] {
        let sent = Some(("application/json", Bytes::from(body)));
        app.send(Method::POST, url, sent).await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
}

/// ERR-9, FLT-4: a duplicate unique value and a dangling foreign key are a 400 under their field.
#[tokio::test]
async fn a_duplicate_value_or_a_dangling_foreign_key_is_a_400_under_its_field() {
    let app = BackendApp::start().await;
    for name in ["Rust", "Travel"] {
        app.post("/api/v1/categories", json!({"name": name}))
            .await
            .expect(201);
    }
    let article = json!({"title": "One", "body": "Text", "categoryId": 1});
    app.post("/api/v1/articles", article.clone()).await.expect(201);
    let before = app.database().rows();
    let taken = json!({"errors": {"name": ["Name is already taken."]}});
    let body = json!({"name": "Rust"});
    app.post("/api/v1/categories", body.clone())
        .await
        .expect_json(400, taken.clone());
    app.put("/api/v1/categories/2", body.clone())
        .await
        .expect_json(400, taken.clone());
    app.patch("/api/v1/categories/2", body)
        .await
        .expect_json(400, taken);
    let nowhere = json!({"errors": {"categoryId": ["Category Id does not exist."]}});
    let mut body = article;
    body["categoryId"] = 999.into();
    app.post("/api/v1/articles", body.clone())
        .await
        .expect_json(400, nowhere.clone());
    app.put("/api/v1/articles/1", body)
        .await
        .expect_json(400, nowhere.clone());
    app.patch("/api/v1/articles/1", json!({"categoryId": 999}))
        .await
        .expect_json(400, nowhere);
    assert_eq!(app.database().rows(), before);
}
