//! The caller's tokens and sessions.

use std::time::Duration;

use model_resource::now;
use serde_json::{Value, json};

use crate::readers::{Library, PASSWORD, text};

fn ids(list: &Value) -> Vec<i64> {
    let rows = list.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Body of a new token.
fn new(name: &str) -> Value {
    let end = now() + Duration::from_secs(24 * 3600);
    json!({"name": name, "expiresAt": end.to_string()})
}

/// SEC-53: a token is shown once, and is listed and revoked by its owner alone.
#[tokio::test]
async fn tokens_of_others_are_invisible() {
    let app = Library::start().await;
    let (_, ann) = app.reader("a-17").await;
    let (_, bob) = app.reader("b-1").await;
    let created = ann.post("/auth/tokens", new("script")).await.expect(201);
    assert_eq!(created.header("cache-control"), "no-store");
    let created = created.json();
    let script = app.with_token(text(&created, "token"));
    script.get("/auth/status").await.expect(200);
    let listed = ann.get("/auth/tokens").await.expect(200).json();
    assert!(ids(&listed).contains(&created["id"].as_i64().unwrap()));
    assert!(!listed.to_string().contains(text(&created, "token")));

    let url = format!("/auth/tokens/{}", created["id"]);
    let before = app.database().rows();
    let others = ids(&bob.get("/auth/tokens").await.expect(200).json());
    assert!(!others.contains(&created["id"].as_i64().unwrap()));
    bob.delete(&url).await.expect(404);
    app.delete(&url).await.expect(401);
    app.get("/auth/tokens").await.expect(401);
    app.post("/auth/tokens", new("x")).await.expect(401);
    ann.post("/auth/tokens", new("")).await.expect(400);
    assert_eq!(app.database().rows(), before);
    ann.delete(&url).await.expect(204);
    script.get("/auth/status").await.expect(401);
}

/// SEC-53: sessions are listed and ended by their owner alone.
#[tokio::test]
async fn sessions_of_others_are_invisible() {
    let app = Library::start().await;
    let (_, ann) = app.reader("a-17").await;
    let (_, bob) = app.reader("b-1").await;
    let login = app.log_in("a-17", PASSWORD).await.expect(200);
    let cookie = login.header("set-cookie").split(';').next().unwrap().to_owned();
    let browser = app.with_header("cookie", &cookie);
    let status = browser.get("/auth/status").await.expect(200).json();
    let id = status["sessionId"].as_i64().unwrap();
    assert!(ids(&ann.get("/auth/sessions").await.expect(200).json()).contains(&id));
    assert!(!ids(&bob.get("/auth/sessions").await.expect(200).json()).contains(&id));
    let url = format!("/auth/sessions/{id}");
    bob.delete(&url).await.expect(404);
    app.get("/auth/sessions").await.expect(401);
    let status = browser.get("/auth/status").await.expect(200).json();
    assert_eq!(status["authenticated"], true);
    ann.delete(&url).await.expect(204);
    let status = browser.get("/auth/status").await.expect(200).json();
    assert_eq!(status["authenticated"], false);
}
