//! Operations of admins on other users.

use http::Method;
use serde_json::{Value, json};

use crate::browser::{Browser, USERS, is_known};
use crate::support::BackendApp;
use crate::support::accounts::{LOGIN, TEST_ADMIN};

/// SEC-21: only admins list users, with the columns that they manage.
#[tokio::test]
async fn only_admins_list_users() {
    let app = BackendApp::start().await;
    let (_, root) = app.admin("root").await;
    let (_, ann) = app.user("ann").await;
    app.anonymous.get(USERS).await.expect(401);
    ann.get(USERS).await.expect(403);
    let users = root.get(USERS).await.expect(200).json();
    let summary = |user: &Value| {
        (
            user["username"].clone(),
            user["isActive"].clone(),
            user["roles"].clone(),
        )
    };
    let listed: Vec<_> = users.as_array().unwrap().iter().map(summary).collect();
    assert_eq!(
        listed,
        [
            (json!(TEST_ADMIN), json!(true), json!(["admin"])),
            (json!("root"), json!(true), json!(["admin"])),
            (json!("ann"), json!(true), json!([]))
        ]
    );
    for query in [
        "passwordHash[startswith]=$",
        "sort=passwordHash",
        "fields=passwordHash",
    ] {
        root.get(&format!("{USERS}?{query}")).await.expect(400);
    }
    assert!(!users.to_string().contains("argon2"));
}

/// SEC-20, SEC-21: a disabled user loses all access at once, and has to log in after being enabled.
#[tokio::test]
async fn a_disabled_user_is_rejected_at_the_next_request_everywhere() {
    let app = BackendApp::start().await;
    let (root_id, root) = app.admin("root").await;
    let (id, ann) = app.user("ann").await;
    let browser = Browser::log_in(&app.anonymous, "ann").await;
    let (disable, enable) = (format!("{USERS}/{id}/disable"), format!("{USERS}/{id}/enable"));
    let before = app.database().rows();
    for url in [&disable, &enable] {
        app.anonymous.post(url, json!({})).await.expect(401);
        ann.post(url, json!({})).await.expect(403);
        browser.page().post(url, json!({})).await.expect(403);
        root.send(Method::DELETE, url, None).await.expect(405);
    }
    root.post(&format!("{USERS}/99/disable"), json!({}))
        .await
        .expect(404);
    root.post(&format!("{USERS}/{root_id}/disable"), json!({}))
        .await
        .expect(409);
    assert_eq!(app.database().rows(), before);

    root.post(&disable, json!({})).await.expect(204);
    assert!(!is_known(&ann).await && !browser.is_known().await && is_known(&root).await);
    let url = format!("{USERS}/{id}");
    ann.patch(&url, json!({"firstName": "Ann"})).await.expect(401);
    browser
        .page()
        .patch(&url, json!({"firstName": "Ann"}))
        .await
        .expect(401);
    ann.get("/api/v1/articles").await.expect(401);
    let login = json!({"email": "ann", "password": "correct horse"});
    app.anonymous.post(LOGIN, login.clone()).await.expect(401);

    root.post(&enable, json!({})).await.expect(204);
    assert!(
        !is_known(&ann).await && !browser.is_known().await,
        "old credentials stay dead"
    );
    app.anonymous.post(LOGIN, login).await.expect(200);
}

/// SEC-20: a login that races with disabling its user completes after the other credentials were revoked. Its
/// credential is worthless, and stays so after the user is enabled.
#[tokio::test]
async fn a_credential_issued_while_its_user_was_disabled_stays_invalid() {
    let app = BackendApp::start().await;
    let (_, root) = app.admin("root").await;
    let (id, ann) = app.user("ann").await;
    let browser = Browser::log_in(&app.anonymous, "ann").await;
    // The state that such a login leaves: the user is disabled, and a credential was not revoked.
    let disable = format!("UPDATE users SET is_active = false WHERE id = {id}");
    app.database().execute(&disable);
    assert!(!is_known(&ann).await && !browser.is_known().await);
    let enable = format!("{USERS}/{id}/enable");
    root.post(&enable, json!({})).await.expect(204);
    assert!(!is_known(&ann).await && !browser.is_known().await);
    let again = Browser::log_in(&app.anonymous, "ann").await;
    root.post(&enable, json!({})).await.expect(204);
    assert!(again.is_known().await, "an enabled user keeps the session");
}

/// SEC-21: no write of a user sets roles or the active flag.
#[tokio::test]
async fn users_cannot_grant_themselves_a_role() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let before = app.database().rows();
    let url = format!("{USERS}/{id}");
    for key in ["roles", "role", "Roles", "roles ", "isActive", "is_active"] {
        for value in [json!("admin"), json!(["admin"]), json!(true)] {
            let mut body =
                json!({"email": "eve@example.com", "username": "eve", "password": "correct horse"});
            body[key] = value.clone();
            let rejection = app.anonymous.post(USERS, body.clone()).await.expect(400).json();
            assert_eq!(rejection["errors"][key], json!(["Unknown field."]));
            ann.put(&url, body).await.expect(400);
            ann.patch(&url, json!({key: value})).await.expect(400);
        }
    }
    assert_eq!(app.database().rows(), before);
}
