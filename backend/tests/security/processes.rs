//! The program's output at startup, and several processes on one database.

use serde_json::{Value, json};
use test_support::TestDatabase;

use crate::browser::{Browser, LOGOUT, PASSWORD, SESSIONS, TOKENS, USERS, is_known, token};
use crate::serve;

/// SEC-24: a second process accepts the first one's sessions and tokens, and a revocation by one applies to both.
#[tokio::test]
async fn a_second_process_honours_and_revokes_the_first_ones_sessions() {
    let database = TestDatabase::create();
    let first = serve::start(&database);
    let second = serve::start(&database);
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

/// SEC-31: at startup the program prints the writes that are open to everyone, and commands to try.
#[tokio::test]
async fn startup_prints_public_writes() {
    let database = TestDatabase::create();
    let mut process = serve::start(&database);
    process.client.get("/healthz").await.expect(200);
    process.signal("TERM");
    let (status, log) = process.wait();
    assert!(status.success(), "{status}: {log}");
    let printed = process.printed();
    let lines: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("anyone may: "))
        .collect();
    let expected = [
        "POST /api/v1/articles/<int:article_id>/comments",
        "POST, PATCH, DELETE /api/v1/tags",
        "PUT, PATCH, DELETE /api/v1/tags/<int:id>",
        "POST /api/v1/contact-submissions",
        "POST, PUT, PATCH, DELETE /api/v1/samples",
        "PUT, PATCH, DELETE /api/v1/samples/<uuid:id>",
        "POST /api/v1/auth/login",
        "POST /api/v1/auth/logout",
    ];
    assert_eq!(lines, expected, "{printed}");
    assert!(printed.contains("docs/reference/access.md"), "{printed}");

    let process = serve::start(&database);
    let mut tried = 0;
    for command in printed.lines().filter_map(|line| line.split_once("curl http://")) {
        let (place, body) = match command.1.split_once(" --json ") {
            Some((place, body)) => (place, Some(body.trim_matches('\''))),
            None => (command.1, None),
        };
        let path = &place[place.find('/').unwrap()..];
        match body {
            Some(body) => {
                let body: Value = serde_json::from_str(body).unwrap();
                process.client.post(path, body).await.expect(201);
            }
            None => {
                process.client.get(path).await.expect(200);
            }
        }
        tried += 1;
    }
    assert_eq!(tried, 3, "{printed}");
}
