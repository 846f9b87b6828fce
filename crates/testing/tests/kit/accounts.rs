//! Callers of every kind.

use model_resource::Caller;
use model_resource_security::hash_password;
use model_resource_testing::TestApp;
use serde_json::json;

use crate::library::{Book, Member, api, book, failure, member, open_api};

/// TST-4
#[tokio::test]
async fn a_caller_needs_no_credential() {
    let app = TestApp::builder(open_api()).test_authenticator().start().await;
    app.create(book("Emma")).await;
    let before = app.all::<Book>().await;
    let reader = app.as_caller(Caller::of(1_i64));
    let librarian = app.as_caller(Caller::of(2_i64).with_roles(["librarian"]));
    app.post("/books", json!({"title": "Sanditon"}))
        .await
        .assert_status(401);
    reader
        .post("/books", json!({"title": "Sanditon"}))
        .await
        .assert_status(403);
    reader.delete("/books/1").await.assert_status(403);
    assert_eq!(app.all::<Book>().await, before);
    librarian
        .post("/books", json!({"title": "Sanditon"}))
        .await
        .assert_status(201);
}

/// TST-4
#[tokio::test]
async fn a_caller_is_known_beside_the_authenticator_of_the_api() {
    let app = TestApp::builder(api())
        .accounts::<Member>()
        .over_socket()
        .start()
        .await;
    let librarian = app.as_caller(Caller::of(2_i64).with_roles(["librarian"]));
    librarian
        .post("/books", json!({"title": "Sanditon"}))
        .await
        .assert_status(201);
    app.with_header("x-test-caller", "7")
        .post("/books", json!({"title": "Emma"}))
        .await
        .assert_status(401);
    app.with_token("wrong").get("/books").await.assert_status(401);
}

/// TST-4
#[tokio::test]
async fn callers_of_an_api_without_authenticator_are_a_mistake() {
    let app = TestApp::new(open_api()).await;
    let message = failure(|| app.as_caller(Caller::of(1_i64)));
    assert!(
        message.contains("no authenticator") && message.contains(".test_authenticator()"),
        "{message}"
    );
}

/// TST-5
#[tokio::test]
async fn a_user_has_a_token_or_a_session_without_a_login() {
    let app = TestApp::builder(api()).accounts::<Member>().start().await;
    let ann = app.create(member("ann")).await;
    app.get("/me").await.assert_status(401);
    let (program, browser) = (app.as_user(&ann).await, app.with_session(&ann).await);
    for client in [&program, &browser] {
        client
            .get("/me")
            .await
            .assert_status(200)
            .assert_json(json!("ann"));
        client.post("/me", json!({})).await.assert_status(200);
        client
            .post("/books", json!({"title": "Emma"}))
            .await
            .assert_status(201);
    }
    let cookie = browser.headers()["cookie"].to_str().unwrap();
    let forged = app.with_header("cookie", cookie);
    forged.post("/me", json!({})).await.assert_status(403);
}

/// TST-5
#[tokio::test]
async fn a_session_works_with_secure_cookies() {
    let app = TestApp::builder(open_api())
        .api(|api| api.authenticator(model_resource_security::Security::<Member>::new().secure_cookies(true)))
        .accounts::<Member>()
        .start()
        .await;
    let ann = app.create(member("ann")).await;
    let browser = app.with_session(&ann).await;
    browser
        .post("/books", json!({"title": "Emma"}))
        .await
        .assert_status(201);
}

/// TST-9
#[tokio::test]
async fn passwords_are_hashed_at_the_least_cost() {
    let _app = TestApp::new(open_api()).await;
    let hash = hash_password("correct horse".to_owned());
    assert!(hash.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{hash}");
}
