//! Change of a password.

use serde_json::json;
use test_support::TestDatabase;

use crate::browser::{Browser, PASSWORD, USERS, is_known, token};
use crate::serve;
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

/// SEC-18: the credential that changes the password stays valid; the user's others are revoked, and no other user's.
#[tokio::test]
async fn a_changed_password_ends_the_other_sessions_and_tokens() {
    for by_browser in [true, false] {
        let app = BackendApp::start().await;
        app.user("ann").await;
        app.user("bob").await;
        let (here, there) = (
            Browser::log_in(&app.anonymous, "ann").await,
            Browser::log_in(&app.anonymous, "ann").await,
        );
        let program = app.anonymous.with_token(&token(&app.anonymous, "ann").await);
        let other = app.anonymous.with_token(&token(&app.anonymous, "ann").await);
        let bob = app.anonymous.with_token(&token(&app.anonymous, "bob").await);
        let change = json!({"password": "correct horse", "newPassword": "another horse"});
        let client = if by_browser { here.page() } else { program.clone() };
        client.post(PASSWORD, change).await.expect(204);
        assert_eq!(here.is_known().await, by_browser);
        assert_eq!(is_known(&program).await, !by_browser);
        assert!(!there.is_known().await && !is_known(&other).await);
        assert!(is_known(&bob).await);
        let left: i64 = app.database().value(
            "SELECT (SELECT count(*) FROM auth_sessions WHERE user_key = '1') \
             + (SELECT count(*) FROM auth_tokens WHERE user_key = '1')",
        );
        assert_eq!(left, 1);
        let login = |password: &str| json!({"email": "ann", "password": password});
        app.anonymous
            .post(LOGIN, login("correct horse"))
            .await
            .expect(401);
        app.anonymous
            .post(LOGIN, login("another horse"))
            .await
            .expect(200);
    }
}

/// SEC-18: without the old password, or with an invalid new one, nothing changes.
#[tokio::test]
async fn a_password_change_requires_the_old_password() {
    let app = BackendApp::start().await;
    let (_, ann) = app.user("ann").await;
    let browser = Browser::log_in(&app.anonymous, "ann").await;
    let before = app.database().rows();
    let long = "x".repeat(1024 * 1024);
    for (old, new, field) in [
        ("wrong horse", "another horse", "password"),
        ("", "another horse", "password"),
        (long.as_str(), "another horse", "password"),
        ("correct horse", "short", "newPassword"),
        ("correct horse", long.as_str(), "newPassword"),
    ] {
        let change = json!({"password": old, "newPassword": new});
        let rejection = ann.post(PASSWORD, change.clone()).await.expect(400).json();
        assert!(rejection["errors"][field].is_array(), "{rejection}");
        app.anonymous.post(PASSWORD, change.clone()).await.expect(401);
        browser.bare().post(PASSWORD, change).await.expect(403);
    }
    ann.post(PASSWORD, json!({"newPassword": "another horse"}))
        .await
        .expect(400);
    assert_eq!(app.database().rows(), before);
    assert!(is_known(&ann).await && browser.is_known().await);
}

/// SEC-20: a password that is changed with the account revokes every session and token, including the current one.
#[tokio::test]
async fn a_password_that_is_patched_ends_every_session() {
    let app = BackendApp::start().await;
    let (id, program) = app.user("ann").await;
    let (here, there) = (
        Browser::log_in(&app.anonymous, "ann").await,
        Browser::log_in(&app.anonymous, "ann").await,
    );
    let change = json!({"password": "another horse", "oldPassword": "correct horse"});
    here.page()
        .patch(&format!("{USERS}/{id}"), change)
        .await
        .expect(200);
    assert!(!here.is_known().await && !there.is_known().await && !is_known(&program).await);
}

/// An invalid stored hash rejects every login without a 500. The log names the user, but not the hash.
#[tokio::test]
async fn a_damaged_hash_is_a_wrong_password_and_is_logged() {
    let database = TestDatabase::create();
    let mut process = serve::start(&database);
    let ann = json!({"email": "ann@example.com", "username": "ann", "password": "correct horse"});
    process.client.post(USERS, ann).await.expect(201);
    database.execute("UPDATE users SET password_hash = 'tattered'");
    for password in ["tattered", "correct horse"] {
        let login = json!({"email": "ann", "password": password});
        process.client.post(LOGIN, login).await.expect(401);
    }
    process.signal("TERM");
    let (_, log) = process.wait();
    let lines = log
        .lines()
        .filter(|line| line.contains("hash of a password is damaged"));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(
        lines
            .iter()
            .all(|line| line.contains("ERROR") && line.contains("account="))
    );
    assert!(
        !log.contains("tattered") && !log.contains("correct horse"),
        "{log}"
    );
}
