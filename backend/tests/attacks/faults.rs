//! Load and faults.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use test_support::{Client, Log, Process, TestDatabase};

use crate::serve;
use crate::support::BackendApp;

/// Of many concurrent creates with the same unique value, one succeeds and the others get a field error.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_concurrent_creates_of_one_unique_value_create_one_row() {
    let app = Arc::new(BackendApp::start().await);
    for (url, body, field) in [
        ("/api/v1/tags", json!({"tag": {"name": "one"}}), "name"),
        ("/api/v1/categories", json!({"name": "One"}), "name"),
        (
            "/api/v1/auth/users",
            json!({"email": "one@example.com", "password": "correct horse"}),
            "email",
        ),
    ] {
        let tasks: Vec<_> = (0..50)
            .map(|number| {
                let (app, mut body) = (Arc::clone(&app), body.clone());
                if field == "email" {
                    body["username"] = format!("user{number}").into();
                }
                tokio::spawn(async move {
                    // Authenticated callers cannot register accounts.
                    let client = if field == "email" {
                        &app.anonymous
                    } else {
                        &app.client
                    };
                    client.post(url, body).await
                })
            })
            .collect();
        let mut created = 0;
        for task in tasks {
            let answer = task.await.unwrap();
            if answer.status == 201 {
                created += 1;
            } else {
                let errors = answer.expect(400).json();
                assert!(errors["errors"][field].is_array(), "{errors}");
            }
        }
        assert_eq!(created, 1, "{url}");
    }
    assert_eq!(
        app.get("/api/v1/categories")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

/// While another program locks the database, all waiting requests are answered with 503; afterwards requests succeed
/// again.
#[tokio::test]
async fn a_locked_database_is_a_503_and_recovers_by_itself() {
    let app = Arc::new(BackendApp::start().await);
    let before = app.database().rows();
    let lock = app.database().lock(&["categories"]);
    let started = Instant::now();
    let tasks: Vec<_> = (0..30)
        .map(|number| {
            let app = Arc::clone(&app);
            let body = json!({"name": format!("Category {number}")});
            tokio::spawn(async move { app.post("/api/v1/categories", body).await })
        })
        .collect();
    for task in tasks {
        let answer = task.await.unwrap().expect(503);
        assert_eq!(answer.header("retry-after"), "1");
    }
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "they wait one after the other"
    );
    lock.release();
    assert_eq!(app.database().rows(), before);
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    app.get("/healthz").await.expect(200);
}

/// Uses every kind of secret, and returns the secrets.
async fn use_secrets(client: &Client) -> Vec<String> {
    let passwords = ["secret-horse-4715", "secret-horse-4716", "secret-horse-4717"];
    let account = json!({"email": "ann@example.com", "username": "ann", "password": passwords[0]});
    client
        .post("/api/v1/auth/users", account.clone())
        .await
        .expect(201);
    client.post("/api/v1/auth/users", account).await.expect(400);
    let login = |password: &str| json!({"email": "ann", "password": password});
    let answer = client
        .post("/api/v1/auth/login", login(passwords[0]))
        .await
        .expect(200);
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    client
        .post("/api/v1/auth/login", login(passwords[1]))
        .await
        .expect(401);
    client
        .post("/api/v1/auth/login", json!({"email": passwords[1]}))
        .await
        .expect(400);
    let own = client.with_token(&token);
    own.get("/api/v1/auth/status").await.expect(200);
    own.patch("/api/v1/auth/users/1", json!({"passwordHash": passwords[1]}))
        .await
        .expect(400);
    let change = json!({"password": passwords[2], "oldPassword": passwords[0]});
    own.patch("/api/v1/auth/users/1", change).await.expect(200);
    own.get("/api/v1/auth/status").await.expect(401);
    client
        .with_header("authentication-token", &token)
        .get("/api/v1/auth/status")
        .await
        .expect(401);
    let mut secrets: Vec<String> = passwords.map(str::to_owned).to_vec();
    secrets.push(token.split_once('.').unwrap().1.to_owned());
    secrets.push("$argon2".to_owned());
    secrets
}

/// No secret is logged, at any level.
#[tokio::test]
async fn logs_hold_no_password_token_or_hash() {
    let log = Log::start();
    let app = BackendApp::start().await;
    let mut secrets = use_secrets(&app.anonymous).await;
    assert!(log.text().contains("/api/v1/auth/login"), "the log is kept");

    let database = TestDatabase::create();
    let mut process = Process::start(serve::command(&database.url()).env("BACKEND_LOG", "trace"));
    secrets.extend(use_secrets(&process.client).await);
    process.signal("TERM");
    let (_, written) = process.wait();
    assert!(written.contains("/api/v1/auth/login"), "{written}");
    for secret in secrets {
        assert!(!log.text().contains(&secret), "the log shows {secret}");
        assert!(!written.contains(&secret), "the log shows {secret}");
    }
}
