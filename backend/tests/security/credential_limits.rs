//! Limits on sessions and tokens per account, and on the lifetime of tokens.

use std::time::Duration;

use serde_json::{Value, json};
use test_support::{Client, Response, TestDatabase};
use tokio::task::JoinSet;

use crate::browser::{Browser, PASSWORD, TOKENS, USERS, is_known, token};
use crate::serve;
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

/// Returns the time in this number of seconds.
fn after(seconds: u64) -> String {
    let end = model_resource::Timestamp::now() + Duration::from_secs(seconds);
    format!("{end:.6}")
}

async fn make(client: &Client, end: &str) -> Response {
    client
        .post(TOKENS, json!({"name": "made", "expiresAt": end}))
        .await
}

fn count(database: &TestDatabase, table: &str, id: i64) -> i64 {
    database.value(&format!("SELECT count(*) FROM {table} WHERE user_key = '{id}'"))
}

/// Copies a user's first token. The copies cannot authenticate.
fn copy_tokens(database: &TestDatabase, id: i64, copies: u32, name: &str, from_login: bool) {
    database.execute(
        &format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {copies}) \
             INSERT INTO auth_tokens (user_key, token_hash, stamp, name, created_at, expires_at, from_login) \
             SELECT user_key, token_hash, stamp, '{name}', created_at, expires_at, {from_login} FROM auth_tokens, n \
             WHERE id = (SELECT min(id) FROM auth_tokens WHERE user_key = '{id}')"
        ),
    );
}

/// Copies a user's first session, each copy last used an hour before the previous one.
fn copy_sessions(database: &TestDatabase, id: i64, copies: u32) {
    let earlier = if database.is_postgres() {
        "used_at - interval '1 hour'"
    } else {
        "used_at - 3600000000"
    };
    database.execute(&format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {copies}) \
             INSERT INTO auth_sessions (user_key, token_hash, stamp, created_at, used_at, expires_at) \
             SELECT user_key, token_hash, stamp, created_at, {earlier}, expires_at FROM auth_sessions, n \
             WHERE id = (SELECT min(id) FROM auth_sessions WHERE user_key = '{id}')"
    ));
}

/// SEC-49: a token cannot create one that expires after it; a session and a login can.
#[tokio::test]
async fn a_token_cannot_create_one_that_outlives_it() {
    let app = BackendApp::start().await;
    let (_, ann) = app.user("ann").await;
    let browser = Browser::log_in(&app.anonymous, "ann").await;
    let end = after(24 * 3600);
    let made = make(&ann, &end).await.expect(201).json();
    let short = app.anonymous.with_token(made["token"].as_str().unwrap());
    let before = app.database().rows();
    for later in [after(24 * 3600 + 60), after(300 * 24 * 3600)] {
        let rejection = make(&short, &later).await.expect(400).json();
        let message = rejection["errors"]["expiresAt"][0].as_str().unwrap();
        assert!(
            message.starts_with("Must not be after the end of the token"),
            "{rejection}"
        );
    }
    assert_eq!(app.database().rows(), before);
    let same = make(&short, &end).await.expect(201).json();
    let same = app.anonymous.with_token(same["token"].as_str().unwrap());
    make(&same, &after(24 * 3600 + 60)).await.expect(400);
    make(&same, &after(3600)).await.expect(201);
    make(&browser.page(), &after(300 * 24 * 3600)).await.expect(201);
    let login = json!({"email": "ann", "password": "correct horse", "credential": "token"});
    let login = short.post(LOGIN, login).await.expect(200).json();
    let fresh = app.anonymous.with_token(login["token"].as_str().unwrap());
    make(&fresh, &after(29 * 24 * 3600)).await.expect(201);
}

/// SEC-50: the 101st token of a user is rejected; a revoked or expired one makes room.
#[tokio::test]
async fn a_user_has_at_most_a_hundred_tokens() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let (_, bob) = app.user("bob").await;
    copy_tokens(&app.database(), id, 98, "made", false);
    make(&ann, &after(60)).await.expect(201);
    let before = app.database().rows();
    let refused = make(&ann, &after(60)).await.expect(409).json();
    let message = json!("You have 100 tokens, and cannot have more: end one first.");
    assert_eq!(refused["message"], message);
    assert_eq!(app.database().rows(), before);
    make(&bob, &after(60)).await.expect(201);

    let last = ann
        .get(&format!("{TOKENS}?sort=-id&limit=1"))
        .await
        .expect(200)
        .json();
    ann.delete(&format!("{TOKENS}/{}", last[0]["id"]))
        .await
        .expect(204);
    make(&ann, &after(60)).await.expect(201);
    make(&ann, &after(60)).await.expect(409);
    app.database().execute(&format!(
        "UPDATE auth_tokens SET expires_at = created_at WHERE user_key = '{id}' AND name = 'made'"
    ));
    make(&ann, &after(60)).await.expect(201);
    assert_eq!(count(&app.database(), "auth_tokens", id), 2);
}

/// SEC-50: a login replaces tokens of earlier logins, and none that the user created.
#[tokio::test]
async fn a_login_makes_room_among_the_tokens_of_logins() {
    let app = BackendApp::start().await;
    let (id, first) = app.user("ann").await;
    copy_tokens(&app.database(), id, 50, "made", false);
    copy_tokens(&app.database(), id, 49, "login", true);
    let login =
        |credential: &str| json!({"email": "ann", "password": "correct horse", "credential": credential});
    let answer = app.anonymous.post(LOGIN, login("token")).await.expect(200).json();
    assert!(is_known(&app.anonymous.with_token(answer["token"].as_str().unwrap())).await);
    assert!(!is_known(&first).await, "the oldest one makes room");
    let made = "SELECT count(*) FROM auth_tokens WHERE name = 'made'";
    assert_eq!(app.database().value::<i64>(made), 50);
    assert_eq!(count(&app.database(), "auth_tokens", id), 100);

    app.database()
        .execute("UPDATE auth_tokens SET from_login = FALSE");
    let before = app.database().rows();
    for credential in ["token", "both"] {
        app.anonymous.post(LOGIN, login(credential)).await.expect(409);
    }
    assert_eq!(app.database().rows(), before);
    app.anonymous.post(LOGIN, login("session")).await.expect(200);
}

/// SEC-51: the 101st session ends the least recently used one.
#[tokio::test]
async fn a_user_has_at_most_a_hundred_sessions() {
    let app = BackendApp::start().await;
    let (id, _) = app.user("ann").await;
    app.user("bob").await;
    let bob = Browser::log_in(&app.anonymous, "bob").await;
    let used = Browser::log_in(&app.anonymous, "ann").await;
    app.database().execute(&format!(
        "DELETE FROM auth_sessions WHERE user_key = '{id}' \
             AND id < (SELECT max(id) FROM auth_sessions WHERE user_key = '{id}')"
    ));
    copy_sessions(&app.database(), id, 99);
    let oldest = format!(
        "SELECT min(id) FROM auth_sessions WHERE user_key = '{id}' \
         AND used_at = (SELECT min(used_at) FROM auth_sessions WHERE user_key = '{id}')"
    );
    let first: i64 = app.database().value(&oldest);
    for more in 1..=3 {
        let new = Browser::log_in(&app.anonymous, "ann").await;
        assert!(new.is_known().await && used.is_known().await && bob.is_known().await);
        assert_eq!(count(&app.database(), "auth_sessions", id), 100);
        assert_eq!(app.database().value::<i64>(&oldest), first + more);
    }
    // The number of sessions before the limit was introduced.
    copy_sessions(&app.database(), id, 1000);
    Browser::log_in(&app.anonymous, "ann").await;
    assert_eq!(count(&app.database(), "auth_sessions", id), 100);
    assert!(used.is_known().await);
}

/// SEC-50, SEC-51: the limits apply across processes that issue credentials concurrently.
#[tokio::test]
async fn the_limits_hold_for_parallel_requests_to_two_processes() {
    let database = TestDatabase::create();
    let (first, second) = (serve::start(&database), serve::start(&database));
    let account = json!({"email": "ann@example.com", "username": "ann", "password": "correct horse"});
    first.client.post(USERS, account).await.expect(201);
    Browser::log_in(&first.client, "ann").await;
    let secret = token(&first.client, "ann").await;
    copy_tokens(&database, 1, 94, "made", false);
    copy_sessions(&database, 1, 97);
    let clients = [&first.client, &second.client].map(|client| client.with_token(&secret));
    let end = after(60);
    let requests = (0..20).map(|number| {
        let (client, end) = (clients[number % 2].clone(), end.clone());
        async move { make(&client, &end).await.status.as_u16() }
    });
    let mut answers = requests.collect::<JoinSet<_>>().join_all().await;
    answers.sort_unstable();
    assert_eq!(answers[..5], [201; 5]);
    assert_eq!(answers[5..], [409; 15]);
    assert_eq!(count(&database, "auth_tokens", 1), 100);

    let logins = (0..12).map(|number| {
        let client = [&first.client, &second.client][number % 2].clone();
        async move { Browser::log_in(&client, "ann").await }
    });
    let browsers = logins.collect::<JoinSet<_>>().join_all().await;
    assert_eq!(count(&database, "auth_sessions", 1), 100);
    for browser in browsers {
        assert!(browser.is_known().await);
    }
}

/// Changes the password of a user and disables the user. The user has this number of extra sessions and tokens. Returns
/// the number of statements written by each operation.
async fn writes_to_end_credentials(app: &BackendApp, name: &str, copies: u32) -> [u64; 2] {
    let (_, root) = app.admin(&format!("root-of-{name}")).await;
    let (id, _) = app.user(name).await;
    let credentials =
        || count(&app.database(), "auth_tokens", id) + count(&app.database(), "auth_sessions", id);
    let browser = Browser::log_in(&app.anonymous, name).await;
    let fill = || {
        copy_tokens(&app.database(), id, copies, "made", false);
        copy_sessions(&app.database(), id, copies);
    };

    fill();
    let before = app.store.writes();
    let change: Value = json!({"password": "correct horse", "newPassword": "another horse"});
    browser.page().post(PASSWORD, change).await.expect(204);
    let to_change = app.store.writes() - before;
    assert_eq!(credentials(), 1);
    assert!(browser.is_known().await);

    let login = json!({"email": name, "password": "another horse"});
    app.anonymous.post(LOGIN, login).await.expect(200);
    fill();
    let before = app.store.writes();
    root.post(&format!("{USERS}/{id}/disable"), json!({}))
        .await
        .expect(204);
    let to_disable = app.store.writes() - before;
    assert_eq!(credentials(), 0);
    [to_change, to_disable]
}

/// SEC-52: all sessions and all tokens of an account are revoked by one statement each.
#[tokio::test]
async fn credentials_are_revoked_by_a_constant_number_of_statements() {
    let app = BackendApp::start().await;
    let few = writes_to_end_credentials(&app, "ann", 1).await;
    let many = writes_to_end_credentials(&app, "bob", 500).await;
    assert_eq!(few, many);
    assert!(few.iter().all(|writes| *writes <= 4), "{few:?}");
}
