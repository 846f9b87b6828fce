//! Attacks by the members of a body.

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};

use crate::sample_data::{SampleData, sample};
use crate::support::BackendApp;

const USERS: &str = "/api/v1/auth/users";

fn json_text(text: impl Into<Bytes>) -> Option<(&'static str, Bytes)> {
    Some(("application/json", text.into()))
}

/// No write sets a hidden column, by any spelling of its name.
#[tokio::test]
async fn a_hidden_column_by_any_spelling_is_never_set() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let url = format!("{USERS}/{id}");
    let before = app.database().rows();
    let spellings = [
        "isActive",
        "is_active",
        "IsActive",
        "isActive ",
        " isActive",
        "is\\u0041ctive",
        "іsActive",
        "isActive\\u200b",
        "passwordHash",
        "password_hash",
    ];
    for key in spellings {
        let signup = format!(
            r#"{{"email": "eve@example.com", "username": "eve", "password": "correct horse", "{key}": false}}"#
        );
        app.anonymous
            .send(Method::POST, USERS, json_text(signup))
            .await
            .expect(400);
        for method in [Method::PUT, Method::PATCH] {
            let body = format!(r#"{{"email": "ann@example.com", "username": "ann", "{key}": "x"}}"#);
            ann.send(method, &url, json_text(body)).await.expect(400);
        }
    }
    let twice = r#"{"isActive": true, "isActive": false}"#;
    ann.send(Method::PATCH, &url, json_text(twice)).await.expect(400);
    let twice = r#"{"firstName": "Ann", "firstName": "Eve"}"#;
    ann.send(Method::PATCH, &url, json_text(twice)).await.expect(400);
    assert_eq!(app.database().rows(), before);
}

/// The hash, the date and the id of an account cannot be patched.
#[tokio::test]
async fn a_patch_of_hash_date_or_id_changes_none_of_them() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let (other, _) = app.user("bob").await;
    let url = format!("{USERS}/{id}");
    let before = app.database().rows();
    ann.patch(&url, json!({"passwordHash": "x"}))
        .await
        .expect_json(400, json!({"errors": {"passwordHash": ["Unknown field."]}}));
    ann.patch(&url, json!({"createdAt": "1999-01-01T00:00:00Z"}))
        .await
        .expect(200);
    for forged in [json!(other), json!(999), json!("1"), json!(null)] {
        let answer = ann.patch(&url, json!({"id": forged})).await.expect(400).json();
        assert!(answer["errors"]["id"].is_array(), "{answer}");
    }
    assert_eq!(app.database().rows(), before);
}

/// The response to a GET can be sent back by PUT without a change.
#[tokio::test]
async fn a_put_of_the_response_to_get_changes_nothing() {
    let data = SampleData::new().await;
    let before = data.app.database().rows();
    let mut count = 0;
    for writing in data.writings.iter().filter(|w| w.method != Method::POST) {
        let client = data.client(writing);
        let got = client.get(&writing.url).await.expect(200).json();
        client
            .send_json(writing.method.clone(), &writing.url, got.clone())
            .await
            .expect_json(200, got);
        count += 1;
    }
    assert_eq!(count, 15);
    assert_eq!(data.app.database().rows(), before);
}

/// An object instead of a key is rejected and changes no other row.
#[tokio::test]
async fn a_nested_object_where_a_key_is_expected_never_edits_the_other_row() {
    let data = SampleData::new().await;
    let app = &data.app;
    let before = app.database().rows();
    for (key, body) in [
        (
            "authorId",
            json!({"authorId": {"id": 1, "email": "eve@example.com"}}),
        ),
        ("author", json!({"author": {"id": 1, "email": "eve@example.com"}})),
        ("categoryId", json!({"categoryId": {"id": 1, "name": "Eve"}})),
        ("categoryId", json!({"categoryId": [1]})),
        ("comments", json!({"comments": [{"id": 1, "body": "Eve"}]})),
    ] {
        let answer = app.patch("/api/v1/articles/1", body).await.expect(400).json();
        assert!(answer["errors"][key].is_array(), "{answer}");
    }
    assert_eq!(app.database().rows(), before);
}

/// Without bulk support, an array of rows creates none of them.
#[tokio::test]
async fn an_array_of_rows_creates_none_of_them() {
    let app = BackendApp::start().await;
    let many: Vec<Value> = (0..40)
        .map(|number| json!({"name": format!("Category {number}")}))
        .collect();
    app.post("/api/v1/categories", json!(many)).await.expect(400);
    app.get("/api/v1/categories").await.expect_json(200, json!([]));
}

/// Even an empty patch is rejected if the caller may not write the row.
#[tokio::test]
async fn an_empty_patch_of_a_row_without_permission_is_rejected() {
    let app = BackendApp::start().await;
    let (id, _) = app.user("ann").await;
    let (_, bob) = app.user("bob").await;
    let before = app.database().rows();
    bob.patch(&format!("{USERS}/{id}"), json!({})).await.expect(403);
    bob.put(&format!("{USERS}/{id}"), json!({})).await.expect(403);
    app.anonymous
        .patch(&format!("{USERS}/{id}"), json!({}))
        .await
        .expect(401);
    assert_eq!(app.database().rows(), before);
}

/// No column accepts a value of another type, and the error names the field.
#[tokio::test]
async fn a_wrong_type_for_each_column_type_is_a_400_that_names_the_field() {
    let app = BackendApp::start().await;
    let created = app.post("/api/v1/samples", sample()).await.expect(201);
    let url = created.header("location").to_owned();
    let integers = [
        "1.0",
        "\"1\"",
        "true",
        "1e0",
        "1.5",
        "9223372036854775808",
        "-9223372036854775809",
        "1e400",
    ];
    let floats = ["\"1\"", "true", "1e400", "-1e400", "[1]"];
    let dates = [
        "\"2024-02-30\"",
        "\"10000-01-01\"",
        "\"0000-01-01\"",
        "\"2024-2-3\"",
        "\"20240203\"",
        "1",
    ];
    let times = [
        "\"24:00:00\"",
        "\"7:8:9\"",
        "\"07:8\"",
        "\"07:08:60\"",
        "\"07:08:09Z\"",
        "1",
    ];
    let moments = [
        "\"2024-05-06T07:08:09\"",
        "\"2024-02-30T00:00:00Z\"",
        "\"10000-01-01T00:00:00Z\"",
        "\"2024-05-06 07:08:09Z\"",
        "\"2024-05-06\"",
        "\"9999-12-31T23:59:59-23:59\"",
        "\"0001-01-01T00:00:00+23:59\"",
        "1714979289",
    ];
    let texts = [
        "1",
        "true",
        "[]",
        "{}",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
    ];
    let before = app.database().rows();
    let cases: [(&str, &[&str]); 15] = [
        ("flag", &["1", "0", "\"true\"", "[]"]),
        ("small", &[&integers[..], &["32768", "-32769"]].concat()),
        ("number", &[&integers[..], &["2147483648"]].concat()),
        ("big", &integers),
        ("single", &[&floats[..], &["3.5e38"]].concat()),
        ("ratio", &floats),
        ("text", &texts),
        ("blob", &["1", "\"aGk\"", "\"a-_=\"", "\"not base64\""]),
        (
            "amount",
            &[
                "1.5",
                "1",
                "\"1.23456\"",
                "\"123456789\"",
                "\"1e2\"",
                "\"NaN\"",
                "\"\"",
                "\".\"",
                "\"+1\"",
            ],
        ),
        ("day", &dates),
        ("clock", &times),
        ("moment", &moments),
        (
            "token",
            &["1", "\"67e55044\"", "\"67e5504410b1426f9247bb680e5fe0c8\""],
        ),
        (
            "extra",
            &[
                "\"\\u0000\"",
                "\"\\ud800\"",
                "1e400",
                "{\"a\": 1, \"a\": 2}",
                "{\"\\u0000\": 1}",
            ],
        ),
        ("color", &["1", "\"Red\"", "\"purple\"", "\"\"", "[\"red\"]"]),
    ];
    for (field, wrong) in cases {
        let maybe = format!("maybe{}{}", field[..1].to_uppercase(), &field[1..]);
        for field in [field, maybe.as_str()] {
            for wrong in wrong {
                let body = format!("{{\"{field}\": {wrong}}}");
                let answer = app.send(Method::PATCH, &url, json_text(body.clone())).await;
                assert_eq!(answer.status, 400, "{body}: {}", answer.text());
                let answer = answer.json();
                let named = answer["errors"][field].is_array()
                    || answer["message"]
                        .as_str()
                        .is_some_and(|message| message.contains(field));
                assert!(named, "{body}: {answer}");
            }
        }
        let null = app.patch(&url, json!({field: null})).await.expect(400).json();
        assert!(null["errors"][field].is_array(), "{null}");
    }
    for not_json in [
        "NaN",
        "Infinity",
        "-Infinity",
        "undefined",
        "01",
        "+1",
        ".5",
        "0x1",
    ] {
        let body = format!("{{\"big\": {not_json}}}");
        app.send(Method::PATCH, &url, json_text(body)).await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
}

/// NUL, a lone surrogate, invalid UTF-8 and a byte-order mark are rejected everywhere.
#[tokio::test]
async fn nul_lone_surrogates_invalid_utf8_and_byte_order_marks_are_a_400() {
    let app = BackendApp::start().await;
    let before = app.database().rows();
    let bodies: [&[u8]; 9] = [
        b"{\"name\": \"a\\u0000b\"}",
        b"{\"name\": \"a\0b\"}",
        b"{\"name\": \"\\ud83d\"}",
        b"{\"name\": \"\\ude00\\ud83d\"}",
        b"{\"name\": \"\xed\xa0\x80\"}",
        b"{\"name\": \"\xc0\xaf\"}",
        b"{\"name\": \"\xff\"}",
        b"\xef\xbb\xbf{\"name\": \"Rust\"}",
        b"\xff\xfe{\0\"\0n\0a\0m\0e\0\"\0:\0\"\0x\0\"\0}\0",
    ];
    for body in bodies {
        app.send(Method::POST, "/api/v1/categories", json_text(body))
            .await
            .expect(400);
    }
    assert_eq!(app.database().rows(), before);
}

/// Every write rejects a body that is not an object.
#[tokio::test]
async fn an_empty_body_null_an_array_a_text_or_a_number_is_a_400() {
    let data = SampleData::new().await;
    let before = data.app.database().rows();
    for writing in &data.writings {
        for body in ["", " ", "null", "[]", "\"x\"", "1", "true", "[null]"] {
            let answer = data
                .client(writing)
                .send(writing.method.clone(), &writing.url, json_text(body))
                .await;
            assert_eq!(answer.status, 400, "{} {} {body:?}", writing.method, writing.url);
        }
    }
    assert_eq!(data.app.database().rows(), before);
}

/// A JSON body with another content type, or none, is not read.
#[tokio::test]
async fn a_json_body_that_is_declared_as_something_else_is_a_415() {
    let data = SampleData::new().await;
    let before = data.app.database().rows();
    for writing in &data.writings {
        let body = Bytes::from(writing.valid.to_string());
        for media_type in ["", "text/plain", "application/x-www-form-urlencoded", "text/html"] {
            let client = data.client(writing);
            let answer = client
                .send(
                    writing.method.clone(),
                    &writing.url,
                    Some((media_type, body.clone())),
                )
                .await;
            assert_eq!(
                answer.status, 415,
                "{} {} {media_type:?}",
                writing.method, writing.url
            );
        }
    }
    assert_eq!(data.app.database().rows(), before);
}

/// A content type without a body is ignored by GET and DELETE.
#[tokio::test]
async fn get_and_delete_ignore_a_content_type_without_a_body() {
    let app = BackendApp::start().await;
    for media_type in ["application/json", "text/plain", "multipart/form-data", "x"] {
        let category = json!({"name": media_type});
        let url = app.post("/api/v1/categories", category).await.expect(201);
        let url = url.header("location").to_owned();
        let without = || Some((media_type, Bytes::new()));
        let got = app.send(Method::GET, &url, without()).await.expect(200).json();
        assert_eq!(got["name"], media_type);
        app.send(Method::GET, "/api/v1/categories", without())
            .await
            .expect(200);
        app.send(Method::DELETE, &url, without()).await.expect(204);
        app.get(&url).await.expect(404);
    }
}
