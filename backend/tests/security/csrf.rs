//! Cross-site request forgery.

use backend::app::Settings;
use http::Method;
use model_resource::Server;
use serde_json::json;
use test_support::Client;

use crate::browser::{Browser, SESSIONS, STATUS, USERS, log_in, token, writes};
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

const ELSEWHERE: &str = "https://elsewhere.example";

async fn refused(app: &BackendApp, client: &Client, id: i64, why: &str) {
    let before = app.database().rows();
    for (method, url, body) in writes(id) {
        let answer = client.send_json(method.clone(), &url, body).await;
        assert_eq!(answer.status, 403, "{why}: {method} {url}: {}", answer.text());
    }
    assert_eq!(app.database().rows(), before, "{why}");
}

/// SEC-14: a write with the cookie alone, or with another session's CSRF token, is rejected.
#[tokio::test]
async fn a_cookie_write_without_or_with_a_wrong_csrf_token_is_a_403() {
    let app = BackendApp::start().await;
    let (id, _) = app.user("ann").await;
    app.user("bob").await;
    let ann = Browser::log_in(&app.anonymous, "ann").await;
    let other = Browser::log_in(&app.anonymous, "ann").await;
    let bob = Browser::log_in(&app.anonymous, "bob").await;
    refused(&app, &ann.bare(), id, "without").await;
    for wrong in [
        "",
        "x",
        &ann.csrf_token[..42],
        &format!("{}A", ann.csrf_token),
        &ann.csrf_token.to_lowercase(),
        &other.csrf_token,
        &bob.csrf_token,
    ] {
        refused(&app, &ann.bare().with_header("x-csrftoken", wrong), id, wrong).await;
    }
    let twice = ann.page().with_header("x-csrftoken", &bob.csrf_token);
    refused(&app, &twice, id, "two of them").await;
    let named = ann
        .bare()
        .with_header("cookie", &format!("csrftoken={}", ann.csrf_token));
    refused(&app, &named, id, "in a cookie").await;
    for (method, url, body) in writes(id) {
        let answer = ann.page().send_json(method, &url, body).await;
        assert!(answer.status.is_success(), "{url}: {}", answer.text());
    }
}

/// SEC-14: another origin cannot write, even with the token.
#[tokio::test]
async fn a_cookie_write_from_another_origin_is_a_403() {
    let app = BackendApp::start().await;
    let (id, _) = app.user("ann").await;
    let ann = Browser::log_in(&app.anonymous, "ann").await;
    for (name, origin) in [
        ("origin", ELSEWHERE),
        ("origin", "null"),
        ("origin", "http://127.0.0.1"),
        ("referer", "https://elsewhere.example/page"),
    ] {
        refused(&app, &ann.page().with_header(name, origin), id, origin).await;
    }
    let own = format!("http://{}", app.address);
    for (name, origin) in [("origin", own.clone()), ("referer", format!("{own}/page?a=b"))] {
        let client = ann.page().with_header(name, &origin);
        client
            .patch(&format!("{USERS}/{id}"), json!({"firstName": "Ann"}))
            .await
            .expect(200);
    }
}

/// Starts the application with these CORS origins.
async fn sharing(origins: &[&str]) -> BackendApp {
    let settings = Settings {
        cors_origins: origins.iter().map(|origin| origin.parse().unwrap()).collect(),
        ..Settings::unlimited()
    };
    BackendApp::start_with(Server::default(), settings).await
}

/// SEC-14, COR-6: an allowed origin writes like the application's own, and no other does.
#[tokio::test]
async fn an_allowed_origin_writes_with_a_session() {
    let app = sharing(&["http://localhost:5173", "https://app.example"]).await;
    let (id, _) = app.user("ann").await;
    let there = app.anonymous.with_header("origin", "https://app.example");
    let ann = Browser::of(&there, &log_in(&there, "ann", "session").await.expect(200));
    let url = format!("{USERS}/{id}");
    ann.page()
        .patch(&url, json!({"firstName": "Ann"}))
        .await
        .expect(200);
    ann.bare()
        .patch(&url, json!({"firstName": "Eve"}))
        .await
        .expect(403);
    let ann = Browser::log_in(&app.anonymous, "ann").await;
    refused(&app, &ann.page().with_header("origin", ELSEWHERE), id, ELSEWHERE).await;
}

/// SEC-14, COR-6: with `*`, no other origin writes with a session, or begins one.
#[tokio::test]
async fn any_origin_never_writes_with_a_session() {
    for origins in [&["*"][..], &["https://app.example", "*"]] {
        let app = sharing(origins).await;
        let (id, _) = app.user("ann").await;
        let ann = Browser::log_in(&app.anonymous, "ann").await;
        for origin in [ELSEWHERE, "https://app.example", "*", "null"] {
            refused(&app, &ann.page().with_header("origin", origin), id, origin).await;
            log_in(&app.anonymous.with_header("origin", origin), "ann", "session")
                .await
                .expect(403);
        }
        ann.page()
            .patch(&format!("{USERS}/{id}"), json!({"firstName": "Ann"}))
            .await
            .expect(200);
    }
}

/// SEC-14: a content type that a cross-site form can send is rejected before the body is read.
#[tokio::test]
async fn a_cookie_write_as_text_plain_is_a_403() {
    let app = BackendApp::start().await;
    let (id, _) = app.user("ann").await;
    let ann = Browser::log_in(&app.anonymous, "ann").await;
    let before = app.database().rows();
    for content_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
    ] {
        for (method, url, body) in writes(id) {
            let body = Some((content_type, body.to_string().into()));
            ann.bare().send(method, &url, body).await.expect(403);
        }
        ann.bare()
            .send(Method::DELETE, &format!("{SESSIONS}/1"), None)
            .await
            .expect(403);
    }
    assert_eq!(app.database().rows(), before);
}

/// SEC-14: another origin cannot log a browser into an account.
#[tokio::test]
async fn a_login_for_a_session_from_another_origin_is_a_403() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let before = app.database().rows();
    let elsewhere = app.anonymous.with_header("origin", ELSEWHERE);
    let answer = log_in(&elsewhere, "ann", "session").await.expect(403);
    assert_eq!(answer.header("set-cookie"), "");
    let body = json!({"email": "ann", "password": "correct horse", "credential": "session"});
    let body = Some(("text/plain", body.to_string().into()));
    app.anonymous.send(Method::POST, LOGIN, body).await.expect(415);
    assert_eq!(app.database().rows(), before);
    log_in(&elsewhere, "ann", "token").await.expect(200);
}

/// SEC-14: reading needs no CSRF token.
#[tokio::test]
async fn a_read_with_a_cookie_needs_no_csrf_token() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let ann = Browser::log_in(&app.anonymous, "ann").await;
    let elsewhere = ann.bare().with_header("origin", ELSEWHERE);
    elsewhere.get(STATUS).await.expect(200);
    elsewhere.head(STATUS).await.expect(200);
    elsewhere.options(STATUS).await.expect(204);
    elsewhere.get(SESSIONS).await.expect(200);
}

/// SEC-14: bearer clients need no CSRF token, and a token takes precedence over a cookie.
#[tokio::test]
async fn a_bearer_token_takes_precedence_over_a_cookie() {
    let app = BackendApp::start().await;
    let (ann_id, _) = app.user("ann").await;
    let (bob_id, _) = app.user("bob").await;
    let ann = Browser::log_in(&app.anonymous, "ann").await;
    let both = ann
        .bare()
        .with_header("origin", ELSEWHERE)
        .with_token(&token(&app.anonymous, "bob").await);
    let status = both.get(STATUS).await.expect(200).json();
    assert_eq!(status["user"]["username"], "bob");
    assert_eq!(status.get("csrfToken"), None);
    both.patch(&format!("{USERS}/{bob_id}"), json!({"firstName": "Bob"}))
        .await
        .expect(200);
    both.patch(&format!("{USERS}/{ann_id}"), json!({"firstName": "Eve"}))
        .await
        .expect(403);
    let bad = ann.page().with_token("1.x");
    bad.get(STATUS).await.expect(401);
    bad.patch(&format!("{USERS}/{ann_id}"), json!({"firstName": "Eve"}))
        .await
        .expect(401);
}
