//! Dry runs of requests that issue and end credentials.

use serde_json::json;

use crate::browser::{Browser, LOGOUT, PASSWORD, STATUS, log_in};
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

/// DRY-4: the token and the cookie of a login are worth nothing, and no session ends.
#[tokio::test]
async fn a_dry_run_issues_no_credential() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let login = log_in(&app.anonymous, "ann", "session").await.expect(200);
    let ann = Browser::of(&app.anonymous, &login);
    let before = app.database().rows();
    let dry = app.anonymous.with_header("prefer", "dry-run");
    let body = json!({"email": "ann@example.com", "password": "correct horse", "credential": "both"});
    let rehearsed = dry.post(LOGIN, body).await.expect(200);
    assert_eq!(rehearsed.header("preference-applied"), "dry-run");
    assert!(!rehearsed.headers.contains_key("set-cookie"));
    let token = rehearsed.json()["token"].as_str().unwrap().to_owned();
    app.anonymous.with_token(&token).get(STATUS).await.expect(401);
    assert_eq!(app.database().rows(), before);

    // In the browser of the session, which stays.
    let browser = ann.page().with_header("prefer", "dry-run");
    let left = browser.post(LOGOUT, json!({})).await.expect(204);
    assert!(!left.headers.contains_key("set-cookie"));
    let passwords = json!({"password": "correct horse", "newPassword": "battery staple"});
    browser.post(PASSWORD, passwords).await.expect(204);
    assert_eq!(app.database().rows(), before);
    assert!(ann.is_known().await);
}

/// DRY-4: guesses by dry runs are counted.
#[tokio::test]
async fn a_password_cannot_be_guessed_by_dry_runs() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let dry = app.anonymous.with_header("prefer", "dry-run");
    let guess = json!({"email": "ann@example.com", "password": "wrong horse"});
    for _ in 0..10 {
        dry.post(LOGIN, guess.clone()).await.expect(401);
    }
    dry.post(LOGIN, guess.clone()).await.expect(429);
    app.anonymous.post(LOGIN, guess).await.expect(429);
}
