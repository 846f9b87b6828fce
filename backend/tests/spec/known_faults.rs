//! Known faults: regressions of an earlier system.

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};

use crate::support::BackendApp;

const USERS: &str = "/api/v1/auth/users";

/// FLT-1: registering with the id of another account does not change that account.
#[tokio::test]
async fn a_post_with_the_id_of_an_existing_row_does_not_change_that_row() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let before = app.get(&format!("{USERS}/{id}")).await.expect(200).json();
    let body = json!({"id": id, "email": "eve@example.com", "username": "eve", "password": "evil horse"});
    let created = app.anonymous.post(USERS, body).await.expect(201).json();
    assert_ne!(created["id"], id);
    app.get(&format!("{USERS}/{id}"))
        .await
        .expect_json(200, before.clone());
    let login = |name: &'static str, password: &'static str| {
        app.anonymous
            .post("/api/v1/auth/login", json!({"email": name, "password": password}))
    };
    login("ann", "evil horse").await.expect(401);
    login("ann", "correct horse").await.expect(200);
    ann.get("/api/v1/auth/status")
        .await
        .expect_json(200, json!({"authenticated": true, "user": before, "roles": []}));
}

/// FLT-2: create, put and patch ignore `createdAt`.
#[tokio::test]
async fn no_client_sets_created_at() {
    let app = BackendApp::start().await;
    let forged = "1999-01-01T00:00:00Z";
    let body = json!({"name": "Rust", "createdAt": forged, "updatedAt": forged});
    let created = app
        .post("/api/v1/categories", body.clone())
        .await
        .expect(201)
        .json();
    assert_ne!(created["createdAt"], forged);
    assert_ne!(created["updatedAt"], forged);
    let url = "/api/v1/categories/1";
    app.put(url, body).await.expect_json(200, created.clone());
    app.patch(url, json!({"createdAt": forged}))
        .await
        .expect_json(200, created.clone());
    app.get(url).await.expect_json(200, created);
}

/// FLT-3: decimals do not break a list.
#[tokio::test]
async fn a_list_of_rows_with_decimal_columns_works() {
    let app = BackendApp::start().await;
    for price in [json!("12.30"), json!("-0.05"), json!("99999999.99"), json!(null)] {
        let article = json!({"title": "One", "body": "Text", "price": price});
        app.post("/api/v1/articles", article).await.expect(201);
    }
    let list = app.get("/api/v1/articles").await.expect(200).json();
    let prices: Vec<&Value> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|article| &article["price"])
        .collect();
    assert_eq!(json!(prices), json!(["12.30", "-0.05", "99999999.99", null]));
}

/// FLT-4: a concurrent duplicate of a unique value, and a concurrently deleted parent, are not a 500.
#[tokio::test]
async fn violated_constraints_are_never_a_500() {
    let app = Arc::new(BackendApp::start().await);
    app.post("/api/v1/articles", json!({"title": "One", "body": "Text"}))
        .await
        .expect(201);
    let mut tasks = Vec::new();
    for number in 0..20 {
        let app = Arc::clone(&app);
        tasks.push(tokio::spawn(async move {
            let comment = json!({"name": "Ann", "body": "Hello"});
            let user =
                json!({"email": "one@example.com", "username": format!("user{number}"), "password": "correct horse"});
            let mut answers = vec![
                app.post("/api/v1/tags", json!({"tag": {"name": "rust"}})).await,
                app.post("/api/v1/articles/1/comments", comment).await,
                app.anonymous.post(USERS, user).await,
            ];
            if number == 10 {
                answers.push(app.delete("/api/v1/articles/1").await);
            }
            answers
                .into_iter()
                .map(|answer| answer.status.as_u16())
                .collect::<Vec<_>>()
        }));
    }
    for task in tasks {
        for status in task.await.unwrap() {
            assert!([201, 204, 400, 404].contains(&status), "{status}");
        }
    }
    let users: i64 = app
        .database()
        .value("SELECT count(*) FROM users WHERE email = 'one@example.com'");
    assert_eq!(users, 1, "the address was free once");
    let comments: i64 = app.database().value("SELECT count(*) FROM comments");
    assert_eq!(comments, 0, "they went with their article");
    app.get("/api/v1/tags")
        .await
        .expect_json(200, json!({"tags": [{"id": 1, "name": "rust"}]}));
}

/// FLT-5: arrays, strings and deep nesting are a 400.
#[tokio::test]
async fn an_array_a_text_or_deep_nesting_is_a_400() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = app.database().rows();
    let deep = 100_000;
    let bodies = [
        r#"[{"name": "x"}]"#.to_owned(),
        r#""name""#.to_owned(),
        format!("{{\"name\": {}{}}}", "[".repeat(deep), "]".repeat(deep)),
        format!("{}1{}", "{\"name\":".repeat(deep), "}".repeat(deep)),
        "[".repeat(deep),
    ];
    for body in bodies {
        for (method, url) in [
            (Method::POST, "/api/v1/categories"),
            (Method::POST, "/api/v1/tags"),
            (Method::POST, "/api/v1/auth/login"),
            (Method::PUT, "/api/v1/categories/1"),
            (Method::PATCH, "/api/v1/categories/1"),
        ] {
            let sent = Some(("application/json", Bytes::from(body.clone())));
            app.send(method, url, sent).await.expect(400);
        }
    }
    assert_eq!(app.database().rows(), before);
}

/// FLT-6: an empty list keeps its envelope.
#[tokio::test]
async fn an_empty_list_of_a_wrapped_model_has_its_envelope() {
    let app = BackendApp::start().await;
    app.get("/api/v1/tags")
        .await
        .expect_json(200, json!({"tags": []}));
}

/// FLT-7: a query parameter is not a URL parameter.
#[tokio::test]
async fn a_query_parameter_named_like_the_url_parameter_has_no_effect() {
    let app = BackendApp::start().await;
    for name in ["Rust", "Go"] {
        app.post("/api/v1/categories", json!({"name": name}))
            .await
            .expect(201);
    }
    let answer = app.get("/api/v1/categories/1?id=2").await.expect(200).json();
    assert_eq!(answer["id"], 1);
    let url = "/api/v1/categories/1?id=2&id=x&article_id=5";
    let answer = app.patch(url, json!({"name": "C"})).await.expect(200).json();
    assert_eq!((&answer["id"], &answer["name"]), (&json!(1), &json!("C")));
    app.delete("/api/v1/categories/1?id=2").await.expect(204);
    assert_eq!(app.get("/api/v1/categories").await.json()[0]["id"], 2);
}

/// FLT-10: 64 concurrent callers, each on its own row, see only their own data.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_at_the_same_time_never_see_each_others_data() {
    let app = Arc::new(BackendApp::start().await);
    for number in 0..64 {
        let article = json!({"title": format!("Title {number}"), "body": "Text"});
        app.post("/api/v1/articles", article).await.expect(201);
    }
    let callers: Vec<_> = (1..=64)
        .map(|id| {
            let app = Arc::clone(&app);
            tokio::spawn(async move {
                let url = format!("/api/v1/articles/{id}");
                for round in 0..30 {
                    let body = json!({
                        "title": format!("Title {id} of {round}"),
                        "body": format!("{id} ").repeat(id),
                        "summary": format!("Summary {id} of {round}"),
                    });
                    let patched = app.patch(&url, body.clone()).await.expect(200).json();
                    let read = app.get(&url).await.expect(200).json();
                    for answer in [patched, read] {
                        assert_eq!(answer["id"], id);
                        for key in ["title", "body", "summary"] {
                            assert_eq!(answer[key], body[key], "{key} of {id}");
                        }
                        assert_eq!(answer["slug"], format!("title-{id}-of-{round}"));
                    }
                    let refused = app.patch(&url, json!({format!("key{id}"): 1})).await;
                    refused.expect_json(400, json!({"errors": {format!("key{id}"): ["Unknown field."]}}));
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
}

/// FLT-11: a password set by PATCH is stored hashed, and logs in.
#[tokio::test]
async fn a_password_changed_by_patch_is_hashed() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let change = json!({"password": "patched horse", "oldPassword": "correct horse"});
    ann.patch(&format!("{USERS}/{id}"), change).await.expect(200);
    let hash: String = app
        .database()
        .value("SELECT password_hash FROM users WHERE username = 'ann'");
    assert!(hash.starts_with("$argon2id$"), "{hash}");
    let stored = app.database().rows().join("\n");
    assert!(!stored.contains("patched horse"));
    let login = json!({"email": "ann", "password": "patched horse"});
    app.anonymous.post("/api/v1/auth/login", login).await.expect(200);
}
