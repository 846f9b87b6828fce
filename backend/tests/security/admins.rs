//! What admins may do with other users.

use http::Method;
use serde_json::{Value, json};

use crate::browser::{Browser, USERS, is_known};
use crate::support::{LOGIN, TEST_ADMIN, TestApp, execute, rows};

/// SEC-21: only admins list users, with what they decide about.
#[tokio::test]
async fn only_admins_list_users() {
    let app = TestApp::start().await;
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

/// SEC-20, SEC-21: a user who is shut out loses everything at once, and has to log in when let in again.
#[tokio::test]
async fn a_user_who_is_shut_out_is_rejected_at_the_next_request_everywhere() {
    let app = TestApp::start().await;
    let (root_id, root) = app.admin("root").await;
    let (id, ann) = app.user("ann").await;
    let browser = Browser::log_in(&app.anonymous, "ann").await;
    let (disable, enable) = (format!("{USERS}/{id}/disable"), format!("{USERS}/{id}/enable"));
    let before = rows(&app.database());
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
    assert_eq!(rows(&app.database()), before);

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

/// SEC-20: a login that is under way while its user is shut out is answered after the others were ended. What it gave is worth
/// nothing then, and does not become so by letting the user in.
#[tokio::test]
async fn what_a_login_gave_while_its_user_was_shut_out_stays_dead() {
    let app = TestApp::start().await;
    let (_, root) = app.admin("root").await;
    let (id, ann) = app.user("ann").await;
    let browser = Browser::log_in(&app.anonymous, "ann").await;
    // As that login leaves it: the user is shut out, and there is something that was not ended.
    let shut_out = format!("UPDATE users SET is_active = false WHERE id = {id}");
    execute(&app.database(), &shut_out);
    assert!(!is_known(&ann).await && !browser.is_known().await);
    let enable = format!("{USERS}/{id}/enable");
    root.post(&enable, json!({})).await.expect(204);
    assert!(!is_known(&ann).await && !browser.is_known().await);
    let again = Browser::log_in(&app.anonymous, "ann").await;
    root.post(&enable, json!({})).await.expect(204);
    assert!(again.is_known().await, "who is not shut out loses nothing");
}

/// SEC-21: no body gives a role or lets somebody in, on any way.
#[tokio::test]
async fn nobody_gives_themselves_a_role() {
    let app = TestApp::start().await;
    let (id, ann) = app.user("ann").await;
    let before = rows(&app.database());
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
    assert_eq!(rows(&app.database()), before);
}
