//! Several processes on one database.

use serde_json::json;

use crate::browser::{Browser, LOGOUT, PASSWORD, SESSIONS, TOKENS, USERS, is_known, token};
use crate::support::{Database, Process};

/// SEC-24: a second process honours the first one's sessions and tokens, and what one ends is dead at both.
#[tokio::test]
async fn a_second_process_honours_and_revokes_the_first_ones_sessions() {
    let database = Database::fresh();
    let first = Process::start(&database);
    let second = Process::start(&database);
    let (one, two) = (&first.client, &second.client);
    let account = json!({"email": "ann@example.com", "username": "ann", "password": "correct horse"});
    one.post(USERS, account).await.expect(201);

    let here = Browser::log_in(one, "ann").await;
    let there = |browser: &Browser| {
        let client = two.with_header("cookie", &browser.cookie);
        client.with_header("x-csrftoken", &browser.csrf_token)
    };
    assert!(is_known(&there(&here)).await);
    there(&here)
        .patch(&format!("{USERS}/1"), json!({"firstName": "Ann"}))
        .await
        .expect(200);
    there(&here).post(LOGOUT, json!({})).await.expect(204);
    assert!(!here.is_known().await && !is_known(&there(&here)).await);

    let (here, other) = (
        Browser::log_in(one, "ann").await,
        Browser::log_in(two, "ann").await,
    );
    let sessions = other.page().get(SESSIONS).await.expect(200).json();
    assert_eq!(sessions.as_array().unwrap().len(), 2);
    other
        .page()
        .delete(&format!("{SESSIONS}/{}", sessions[0]["id"]))
        .await
        .expect(204);
    assert!(!here.is_known().await && other.is_known().await);

    let secret = token(one, "ann").await;
    let (near, far) = (one.with_token(&secret), two.with_token(&secret));
    assert!(is_known(&near).await && is_known(&far).await);
    let tokens = far.get(TOKENS).await.expect(200).json();
    far.delete(&format!("{TOKENS}/{}", tokens[0]["id"]))
        .await
        .expect(204);
    assert!(!is_known(&near).await && !is_known(&far).await);

    let here = Browser::log_in(one, "ann").await;
    let change = json!({"password": "correct horse", "newPassword": "another horse"});
    other.page().post(PASSWORD, change).await.expect(204);
    assert!(!here.is_known().await && other.is_known().await);
}
