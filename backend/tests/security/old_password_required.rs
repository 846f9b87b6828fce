//! A new password in the body of an account, which requires the old one.

use http::Method;
use serde_json::{Value, json};
use test_support::{Client, Response};

use crate::browser::{Browser, STATUS, USERS, is_known};
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

async fn change(client: &Client, method: &Method, url: &str, fields: Value) -> Response {
    let mut body = json!({"email": "ann@example.com", "username": "ann"});
    for (key, value) in fields.as_object().unwrap() {
        body[key] = value.clone();
    }
    client.send_json(method.clone(), url, body).await
}

/// SEC-47: without the old password no credential and no method changes the account.
#[tokio::test]
async fn a_new_password_in_an_account_needs_the_old_one() {
    for method in [Method::PATCH, Method::PUT] {
        let app = BackendApp::start().await;
        let (id, program) = app.user("ann").await;
        let browser = Browser::log_in(&app.anonymous, "ann").await;
        let url = format!("{USERS}/{id}");
        let before = app.database().rows();
        for (fields, field) in [
            (json!({"password": "another horse"}), "oldPassword"),
            (
                json!({"password": "another horse", "oldPassword": "wrong horse"}),
                "oldPassword",
            ),
            (
                json!({"password": "another horse", "oldPassword": ""}),
                "oldPassword",
            ),
            (
                json!({"password": "another horse", "oldPassword": "x".repeat(129)}),
                "oldPassword",
            ),
            (json!({"oldPassword": "correct horse"}), "oldPassword"),
            (
                json!({"password": "another horse", "old_password": "correct horse"}),
                "old_password",
            ),
        ] {
            let mut fields = fields;
            fields["lastName"] = json!("Lee");
            for client in [program.clone(), browser.page()] {
                let rejection = change(&client, &method, &url, fields.clone()).await.expect(400);
                assert!(
                    rejection.json()["errors"][field].is_array(),
                    "{fields}: {}",
                    rejection.text()
                );
            }
        }
        assert_eq!(app.database().rows(), before);
        assert!(is_known(&program).await && browser.is_known().await);
    }
    let app = BackendApp::start().await;
    let new = json!({
        "email": "eve@example.com", "username": "eve", "password": "correct horse", "oldPassword": "correct horse",
    });
    let rejection = app.anonymous.post(USERS, new).await.expect(400).json();
    assert_eq!(rejection["errors"]["oldPassword"], json!(["Unknown field."]));
}

/// SEC-47: with the old password the account changes atomically, and all of its sessions and tokens are revoked.
#[tokio::test]
async fn a_new_password_in_an_account_ends_every_credential() {
    for method in [Method::PATCH, Method::PUT] {
        let app = BackendApp::start().await;
        let (id, program) = app.user("ann").await;
        let (_, bob) = app.user("bob").await;
        let browser = Browser::log_in(&app.anonymous, "ann").await;
        let fields = json!({"password": "another horse", "oldPassword": "correct horse", "lastName": "Lee"});
        let changed = change(&program, &method, &format!("{USERS}/{id}"), fields)
            .await
            .expect(200)
            .json();
        assert_eq!(changed["lastName"], "Lee");
        assert!(!is_known(&program).await && !browser.is_known().await && is_known(&bob).await);
        for table in ["auth_tokens", "auth_sessions"] {
            let left: i64 = app
                .database()
                .value(&format!("SELECT count(*) FROM {table} WHERE user_key = '{id}'"));
            assert_eq!(left, 0, "{table}");
        }
        for (password, status) in [("correct horse", 401), ("another horse", 200)] {
            let login = json!({"email": "ann", "password": password});
            app.anonymous.post(LOGIN, login).await.expect(status);
        }
    }
}

/// SEC-47: the holder of a stolen credential cannot guess the password.
#[tokio::test]
async fn the_old_password_can_be_guessed_ten_times_an_hour() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let (bob_id, bob) = app.user("bob").await;
    let url = format!("{USERS}/{id}");
    let before = app.database().rows();
    // A number that no type can represent does not bypass the limit.
    let huge = r#"{"createdAt": 1e999, "password": "another horse", "oldPassword": "a guess"}"#;
    let body = || Some(("application/json", huge.into()));
    for number in 0..10 {
        if number % 2 == 0 {
            ann.send(Method::PATCH, &url, body()).await.expect(400);
            continue;
        }
        let guess = json!({"password": "another horse", "oldPassword": format!("guess {number}")});
        change(&ann, &Method::PUT, &url, guess).await.expect(400);
    }
    let right = json!({"password": "another horse", "oldPassword": "correct horse"});
    for method in [Method::PATCH, Method::PUT] {
        let refused = change(&ann, &method, &url, right.clone()).await.expect(429);
        assert_ne!(refused.header("retry-after"), "");
    }
    ann.send(Method::PATCH, &url, body()).await.expect(429);
    assert_eq!(app.database().rows(), before);
    ann.get(STATUS).await.expect(200);
    for _ in 0..12 {
        ann.patch(&url, json!({"email": "nobody"})).await.expect(400);
    }
    ann.patch(&url, json!({"firstName": "Ann"})).await.expect(200);
    let url = format!("{USERS}/{bob_id}");
    bob.patch(&url, right).await.expect(200);
}
