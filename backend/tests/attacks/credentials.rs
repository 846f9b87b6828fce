//! Attacks on credentials: login, tokens and registration.

use std::time::{Duration, Instant};

use http::Method;
use serde_json::json;
use test_support::{Client, Response, TestDatabase};

use crate::serve;
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

const USERS: &str = "/api/v1/auth/users";
const STATUS: &str = "/api/v1/auth/status";

async fn login(client: &Client, name: &str, password: &str) -> Response {
    client
        .post(LOGIN, json!({"email": name, "password": password}))
        .await
}

/// Neither the response nor its time reveals whether a user exists.
#[tokio::test]
async fn an_unknown_user_and_a_wrong_password_have_the_same_answer_and_time() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    login(&app.anonymous, "nobody", "warm up").await.expect(401);
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let mut bodies = Vec::new();
    for _ in 0..9 {
        for (name, times) in [("ann", &mut known), ("nobody", &mut unknown)] {
            let started = Instant::now();
            let answer = login(&app.anonymous, name, "wrong horse").await.expect(401);
            times.push(started.elapsed());
            let headers = ["content-type", "content-length", "www-authenticate"];
            bodies.push((
                answer.body.clone(),
                headers.map(|name| answer.header(name).to_owned()),
            ));
        }
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    assert_eq!(bodies[0].0, r#"{"message":"Wrong credentials."}"#);
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let (known, unknown) = (median(known), median(unknown));
    assert!(
        known < unknown * 3 && unknown < known * 3,
        "known {known:?}, unknown {unknown:?}"
    );
}

/// A password that would take long to hash is rejected before it is hashed.
#[tokio::test]
async fn a_password_of_one_megabyte_is_a_400_at_once() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let before = app.database().rows();
    let long = "x".repeat(1024 * 1024);
    let started = Instant::now();
    login(&app.anonymous, "ann", &long).await.expect(400);
    login(&app.anonymous, "nobody", &long).await.expect(400);
    let signup = json!({"email": "eve@example.com", "username": "eve", "password": long});
    app.anonymous.post(USERS, signup).await.expect(400);
    ann.patch(&format!("{USERS}/{id}"), json!({"password": long}))
        .await
        .expect(400);
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(app.database().rows(), before);
}

/// Every credential other than one valid token is a 401 with a challenge.
#[tokio::test]
async fn a_truncated_doubled_or_misplaced_token_is_a_401_with_a_challenge() {
    let app = BackendApp::start().await;
    let (id, _) = app.user("ann").await;
    app.user("bob").await;
    let token = |answer: Response| answer.json()["token"].as_str().unwrap().to_owned();
    let ann = token(login(&app.anonymous, "ann", "correct horse").await);
    let bob = token(login(&app.anonymous, "bob", "correct horse").await);
    let url = format!("{USERS}/{id}");
    let before = app.database().rows();
    let secret = |token: &str| token.split_once('.').unwrap().1.to_owned();
    let clients = [
        app.anonymous.with_token(&ann[..ann.len() - 4]),
        app.anonymous.with_token(&ann[..ann.len() / 2]),
        app.anonymous.with_token(&format!("{ann}, {bob}")),
        app.anonymous.with_token(&format!("{id}.{}", secret(&bob))),
        app.anonymous.with_token("' or 1=1--"),
        app.anonymous.with_header("authorization", &ann),
        app.anonymous.with_header("authorization", "Bearer"),
        app.anonymous.with_header("authorization", "Bearer "),
        app.anonymous
            .with_header("authorization", &format!("Basic {ann}")),
        app.anonymous
            .with_header("authorization", &format!("Token {ann}")),
        app.anonymous.with_token(&ann).with_token(&ann),
        app.anonymous.with_token(&ann).with_token(&bob),
        app.anonymous
            .with_token(&ann)
            .with_header("authentication-token", &bob),
        app.anonymous
            .with_header("cookie", &format!("token={ann}; session={ann}")),
    ];
    for client in clients {
        let answer = client.patch(&url, json!({"firstName": "Eve"})).await.expect(401);
        assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"backend\"");
    }
    for query in ["token", "access_token", "auth_token", "authorization"] {
        let url = format!("{url}?{query}={ann}");
        app.anonymous
            .patch(&url, json!({"firstName": "Eve"}))
            .await
            .expect(401);
    }
    app.anonymous
        .with_token(&bob)
        .patch(&url, json!({"firstName": "Eve"}))
        .await
        .expect(403);
    assert_eq!(app.database().rows(), before);
    let lower = app
        .anonymous
        .with_header("authorization", &format!("bearer {ann}"));
    lower.patch(&url, json!({"firstName": "Ann"})).await.expect(200);
}

/// An expired or revoked token, a disabled user and a changed password are rejected at the next request, everywhere.
#[tokio::test]
async fn a_revoked_credential_is_rejected_at_the_next_request() {
    let ends = [
        "UPDATE auth_tokens SET expires_at = created_at",
        "DELETE FROM auth_tokens",
        "UPDATE users SET is_active = FALSE",
        "UPDATE users SET password_hash = password_hash || 'x'",
        "DELETE FROM users",
    ];
    for end in ends {
        let app = BackendApp::start().await;
        let (id, ann) = app.user("ann").await;
        ann.get(STATUS).await.expect(200);
        app.database().execute(end);
        let before = app.database().rows();
        ann.get(STATUS).await.expect(401);
        let url = format!("{USERS}/{id}");
        ann.patch(&url, json!({"firstName": "Eve"})).await.expect(401);
        ann.put(&url, json!({"email": "ann@example.com", "username": "ann"}))
            .await
            .expect(401);
        let second = json!({"email": "two@example.com", "username": "two", "password": "correct horse"});
        ann.post(USERS, second).await.expect(401);
        assert_eq!(app.database().rows(), before, "{end}");
    }
}

/// Registration is rejected with the name of an existing account, and while logged in.
#[tokio::test]
async fn creating_an_account_while_logged_in_or_over_another_is_rejected() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let before = app.database().rows();
    let account = |email: &str, name: &str| json!({"id": id, "email": email, "username": name, "password": "correct horse"});
    ann.post(USERS, account("two@example.com", "two"))
        .await
        .expect(403);
    for (email, name) in [
        ("ann@example.com", "two"),
        ("two@example.com", "ann"),
        ("two@example.com", "ann@example.com"),
    ] {
        app.anonymous.post(USERS, account(email, name)).await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
}

/// A bearer client needs no CSRF token, from any origin.
#[tokio::test]
async fn a_bearer_client_needs_no_csrf_token() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let elsewhere = ann.with_header("origin", "https://elsewhere.example");
    elsewhere
        .patch(&format!("{USERS}/{id}"), json!({"firstName": "Ann"}))
        .await
        .expect(200);
}

/// A login's body is validated like a resource's: an array is rejected, with the framework's messages.
#[tokio::test]
async fn an_invalid_login_body_is_rejected_with_the_frameworks_messages() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let send = |content_type: &'static str, body: String| {
        let client = app.anonymous.clone();
        async move {
            let body = Some((content_type, body.into()));
            client.send(Method::POST, "/api/v1/auth/login", body).await
        }
    };
    let json = "application/json";
    let array = send(json, json!(["ann", "correct horse"]).to_string()).await;
    array.expect_json(400, json!({"errors": {"_schema": ["Expected a JSON object."]}}));
    let missing = send(json, json!({"email": "ann"}).to_string()).await;
    missing.expect_json(400, json!({"errors": {"password": ["Password is required."]}}));
    let unknown = send(
        json,
        json!({"email": "ann", "password": "x", "admin": true}).to_string(),
    )
    .await;
    unknown.expect_json(400, json!({"errors": {"admin": ["Unknown field."]}}));
    let typed = send(json, json!({"email": 1, "password": "x"}).to_string()).await;
    assert!(typed.expect(400).json()["errors"]["email"].is_array());
    let twice = send(
        json,
        r#"{"email": "ann", "email": "bob", "password": "x"}"#.to_owned(),
    )
    .await;
    assert!(twice.expect(400).json()["message"].is_string());
    let deep = send(json, format!("{{\"email\": {}", "[".repeat(100_000))).await;
    assert!(deep.expect(400).text().contains("deeper than 64"));
    send(
        "application/json; charset=latin1",
        json!({"email": "ann", "password": "correct horse"}).to_string(),
    )
    .await
    .expect(415);
}

/// A name that no database can store belongs to no user.
#[tokio::test]
async fn a_nul_in_a_login_is_a_401() {
    let app = BackendApp::start().await;
    login(&app.anonymous, "a\0b", "x").await.expect(401);
    login(&app.anonymous, "ann", "x\0y").await.expect(401);
}

/// Many concurrent registrations and logins use no more memory than a few.
#[tokio::test]
async fn parallel_password_hashes_take_bounded_memory() {
    let database = TestDatabase::create();
    let process = serve::start(&database);
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..60 {
        let client = process.client.clone();
        tasks.spawn(async move {
            if number % 2 == 0 {
                let body = json!({"email": "q@example.com", "username": "qqq", "password": "password1"});
                client.post("/api/v1/auth/users", body).await.status
            } else {
                let body = json!({"email": "nobody", "password": "password1"});
                client.post("/api/v1/auth/login", body).await.status
            }
        });
    }
    let answers = tasks.join_all().await;
    assert_eq!(
        answers.iter().filter(|status| status.as_u16() == 201).count(),
        1,
        "{answers:?}"
    );
    let peak = process.peak_memory();
    assert!(peak < 200 * 1024, "{peak} KiB");
}
