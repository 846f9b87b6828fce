//! Bearer tokens of programs.

use serde_json::{Value, json};

use crate::browser::{Browser, STATUS, TOKENS, USERS, is_known, soon, token};
use crate::support::BackendApp;

/// SEC-16: a token is created with a name and an expiry, shown once, listed without its secret, and revoked.
#[tokio::test]
async fn a_token_is_shown_once_listed_and_revoked() {
    let app = BackendApp::start().await;
    let (_, ann) = app.user("ann").await;
    let end = soon();
    let made = ann
        .post(TOKENS, json!({"name": "ci", "expiresAt": end}))
        .await
        .expect(201);
    assert_eq!(made.header("cache-control"), "no-store");
    let made = made.json();
    assert_eq!((&made["name"], &made["expiresAt"]), (&json!("ci"), &json!(end)));
    let secret = made["token"].as_str().unwrap();
    let program = app.anonymous.with_token(secret);
    assert!(is_known(&program).await);
    let list = program.get(TOKENS).await.expect(200);
    assert!(!list.text().contains(secret.rsplit('.').next().unwrap()));
    let list = list.json();
    let names: Vec<&Value> = list.as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["login", "ci"]);
    let mut keys: Vec<&String> = list[1].as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["createdAt", "expiresAt", "id", "name"]);

    ann.delete(&format!("{TOKENS}/{}", made["id"])).await.expect(204);
    program.get(STATUS).await.expect(401);
    assert!(is_known(&ann).await);
}

/// SEC-16: users cannot see, count, revoke or create tokens of others.
#[tokio::test]
async fn another_users_token_is_not_found() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let (_, bob) = app.user("bob").await;
    let own = ann.get(TOKENS).await.expect(200).json()[0]["id"].clone();
    let before = app.database().rows();
    let missing = bob.delete(&format!("{TOKENS}/9999")).await.expect(404);
    let hidden = bob.delete(&format!("{TOKENS}/{own}")).await.expect(404);
    assert_eq!(hidden.body, missing.body);
    let list = bob
        .get(&format!("{TOKENS}?count=exact&limit=10"))
        .await
        .expect(200);
    assert_eq!(list.header("x-total-count"), "1");
    for name in ["userKey", "user_key", "tokenHash", "token_hash", "stamp"] {
        bob.get(&format!("{TOKENS}?{name}=1")).await.expect(400);
        bob.get(&format!("{TOKENS}?sort={name}")).await.expect(400);
        let mut body = json!({"name": "x", "expiresAt": soon()});
        body[name] = json!(id.to_string());
        bob.post(TOKENS, body).await.expect(400);
    }
    app.anonymous.get(TOKENS).await.expect(401);
    app.anonymous
        .post(TOKENS, json!({"name": "x", "expiresAt": soon()}))
        .await
        .expect(401);
    app.anonymous.delete(&format!("{TOKENS}/{own}")).await.expect(401);
    assert_eq!(app.database().rows(), before);
}

/// SEC-16: a token has a name and expires within a year.
#[tokio::test]
async fn a_token_without_a_name_or_a_valid_expiry_is_rejected() {
    let app = BackendApp::start().await;
    let (_, ann) = app.user("ann").await;
    let before = app.database().rows();
    for (body, field) in [
        (json!({"expiresAt": soon()}), "name"),
        (json!({"name": "", "expiresAt": soon()}), "name"),
        (json!({"name": "x".repeat(101), "expiresAt": soon()}), "name"),
        (json!({"name": "x"}), "expiresAt"),
        (json!({"name": "x", "expiresAt": null}), "expiresAt"),
        (
            json!({"name": "x", "expiresAt": "2020-01-01T00:00:00Z"}),
            "expiresAt",
        ),
        (
            json!({"name": "x", "expiresAt": "9999-01-01T00:00:00Z"}),
            "expiresAt",
        ),
        (json!({"name": "x", "expiresAt": "tomorrow"}), "expiresAt"),
    ] {
        let rejection = ann.post(TOKENS, body.clone()).await.expect(400).json();
        assert!(rejection["errors"][field].is_array(), "{body}: {rejection}");
    }
    assert_eq!(app.database().rows(), before);
}

/// SEC-15: an expired, revoked, truncated or foreign token, two Authorization headers, and a token in the URL are a 401
/// with a challenge, even if authentication is optional.
#[tokio::test]
async fn an_invalid_bearer_credential_is_a_401_everywhere() {
    let app = BackendApp::start().await;
    let (id, _) = app.user("ann").await;
    app.user("bob").await;
    let (ann, bob) = (
        token(&app.anonymous, "ann").await,
        token(&app.anonymous, "bob").await,
    );
    let (expired, revoked) = (
        token(&app.anonymous, "ann").await,
        token(&app.anonymous, "ann").await,
    );
    let key = |token: &str| token.split('.').next().unwrap().to_owned();
    app.database().execute(&format!(
        "UPDATE auth_tokens SET expires_at = created_at WHERE id = {}",
        key(&expired)
    ));
    let own = app.anonymous.with_token(&ann);
    own.delete(&format!("{TOKENS}/{}", key(&revoked)))
        .await
        .expect(204);
    let before = app.database().rows();
    let secret = |token: &str| token.split_once('.').unwrap().1.to_owned();
    for client in [
        app.anonymous.with_token(&expired),
        app.anonymous.with_token(&revoked),
        app.anonymous.with_token(&ann[..ann.len() - 1]),
        app.anonymous.with_token(&secret(&ann)),
        app.anonymous
            .with_token(&format!("{}.{}", key(&ann), secret(&bob))),
        app.anonymous.with_token(&ann).with_token(&ann),
        app.anonymous
            .with_token(&ann)
            .with_header("authentication-token", &ann),
        app.anonymous.with_header("authentication-token", &expired),
        app.anonymous.with_header("authorization", &ann),
        app.anonymous
            .with_header("authorization", &format!("Basic {ann}")),
    ] {
        for url in [STATUS, "/api/v1/articles", "/api/v1/articles/1", TOKENS] {
            let answer = client.get(url).await.expect(401);
            assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"backend\"");
        }
        client
            .post("/api/v1/tags", json!({"tag": {"name": "x"}}))
            .await
            .expect(401);
        client
            .patch(&format!("{USERS}/{id}"), json!({"firstName": "Eve"}))
            .await
            .expect(401);
    }
    for name in ["token", "access_token", "authorization", "authentication-token"] {
        app.anonymous
            .get(&format!("{TOKENS}?{name}={ann}"))
            .await
            .expect(401);
    }
    let browser = Browser::log_in(&app.anonymous, "ann").await;
    let as_cookie = app.anonymous.with_header("cookie", &format!("session={ann}"));
    assert!(!is_known(&as_cookie).await);
    let as_token = app
        .anonymous
        .with_token(browser.cookie.split_once('=').unwrap().1);
    as_token.get(STATUS).await.expect(401);
    browser
        .page()
        .post("/api/v1/auth/logout", json!({}))
        .await
        .expect(204);
    assert_eq!(app.database().rows(), before);
    for good in [
        app.anonymous
            .with_header("authorization", &format!("bearer {ann}")),
        app.anonymous
            .with_header("authorization", &format!("BEARER {ann}")),
        app.anonymous.with_header("authentication-token", &ann),
    ] {
        assert!(is_known(&good).await);
    }
    let kept: i64 = app.database().value("SELECT count(*) FROM auth_sessions");
    assert_eq!(kept, 2, "those of the helper's logins");
}
