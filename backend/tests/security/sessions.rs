//! Sessions of browsers.

use std::time::Duration;

use backend::app::Settings;
use http::Method;
use model_resource::Server;
use serde_json::json;

use crate::browser::{Browser, LOGOUT, SESSIONS, STATUS, USERS, log_in, writes};
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

/// SEC-11: scripts cannot read the cookie, cross-site writes do not include it, and its path is `/`.
#[tokio::test]
async fn a_session_is_a_cookie_that_scripts_cannot_read() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let answer = log_in(&app.anonymous, "ann", "session").await.expect(200);
    let cookie = answer.header("set-cookie").to_owned();
    let (value, attributes) = cookie.split_once("; ").unwrap();
    assert!(value.starts_with("session="), "{cookie}");
    assert_eq!(attributes, "Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(
        answer.json().get("token"),
        None,
        "a browser has no use for a token"
    );
    let status = Browser::of(&app.anonymous, &answer)
        .bare()
        .get(STATUS)
        .await
        .expect(200);
    assert_eq!(status.header("cache-control"), "no-store");
    let status = status.json();
    assert_eq!(status["csrfToken"], answer.json()["csrfToken"]);
    assert_eq!(status["user"]["username"], "ann");
}

/// SEC-11: over TLS the cookie is `Secure` and bound to its host.
#[tokio::test]
async fn over_tls_the_cookie_is_secure() {
    let settings = Settings {
        secure_cookies: true,
        ..Settings::unlimited()
    };
    let app = BackendApp::start_with(Server::default(), settings).await;
    app.user("ann").await;
    let answer = log_in(&app.anonymous, "ann", "session").await.expect(200);
    let cookie = answer.header("set-cookie");
    assert!(cookie.starts_with("__Host-session="), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Lax; Secure"), "{cookie}");
    let ann = Browser::of(&app.anonymous, &answer);
    assert!(ann.is_known().await);
    let unbound = ann.cookie.replace("__Host-", "");
    let unbound = app
        .anonymous
        .with_header("cookie", &unbound)
        .get(STATUS)
        .await
        .expect(200);
    assert_eq!(unbound.json()["authenticated"], false);
}

/// SEC-11: the cookie and the CSRF token do not occur in the bytes of the database.
#[tokio::test]
async fn the_database_holds_only_a_hash_of_the_cookie() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let ann = Browser::log_in(&app.anonymous, "ann").await;
    let secret = ann.cookie.rsplit('.').next().unwrap();
    let bytes = app.database().bytes();
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("ann@example.com"), "the bytes are those that are stored");
    assert!(!holds(secret) && !holds(&ann.csrf_token));
}

/// SEC-12: a session from before the login is invalid after it.
#[tokio::test]
async fn a_login_replaces_the_session_and_revokes_the_old_one() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    app.user("bob").await;
    let first = Browser::log_in(&app.anonymous, "ann").await;
    let other = Browser::log_in(&app.anonymous, "ann").await;
    for name in ["ann", "bob"] {
        let before = Browser::log_in(&app.anonymous, "ann").await;
        let answer = log_in(&before.page(), name, "session").await.expect(200);
        let after = Browser::of(&app.anonymous, &answer);
        assert_ne!(after.cookie, before.cookie);
        assert!(after.is_known().await && !before.is_known().await);
    }
    assert!(first.is_known().await && other.is_known().await);
}

/// SEC-12: a cookie that the server did not issue is ignored, which prevents session fixation.
#[tokio::test]
async fn a_login_does_not_adopt_a_foreign_cookie() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let planted = app.anonymous.with_header("cookie", "session=77.planted");
    let ann = Browser::of(
        &app.anonymous,
        &log_in(&planted, "ann", "session").await.expect(200),
    );
    assert!(!ann.cookie.contains("planted"));
    assert_eq!(
        planted.get(STATUS).await.expect(200).json()["authenticated"],
        false
    );
}

/// SEC-12: a cookie that a browser keeps after logout does not authenticate.
#[tokio::test]
async fn logout_revokes_the_session_on_the_server() {
    let app = BackendApp::start().await;
    let (_, token) = app.user("ann").await;
    let (here, there) = (
        Browser::log_in(&app.anonymous, "ann").await,
        Browser::log_in(&app.anonymous, "ann").await,
    );
    let answer = here.page().post(LOGOUT, json!({})).await.expect(204);
    assert!(
        answer
            .header("set-cookie")
            .starts_with("session=; Path=/; Max-Age=0")
    );
    assert!(!here.is_known().await && there.is_known().await);
    here.page().post(LOGOUT, json!({})).await.expect(204);
    app.anonymous.post(LOGOUT, json!({})).await.expect(204);
    token.post(LOGOUT, json!({})).await.expect(204);
    token.get(STATUS).await.expect(401);
    assert!(there.is_known().await);
}

/// SEC-13: an invalid cookie is treated as a missing one, whether or not authentication is required.
#[tokio::test]
async fn an_invalid_cookie_is_treated_as_missing() {
    let app = BackendApp::start().await;
    let (id, _) = app.user("ann").await;
    let ann = Browser::log_in(&app.anonymous, "ann").await;
    let bob = {
        app.user("bob").await;
        Browser::log_in(&app.anonymous, "bob").await
    };
    let secret = |browser: &Browser| browser.cookie.split_once('.').unwrap().1.to_owned();
    let before = app.database().rows();
    for cookie in [
        ann.cookie[..ann.cookie.len() - 1].to_owned(),
        format!("{}x", ann.cookie),
        ann.cookie.to_uppercase(),
        format!("{}; {}", ann.cookie, bob.cookie),
        format!("{}; {}", ann.cookie, ann.cookie),
        format!("session=1.{}", secret(&bob)),
        "session=".to_owned(),
        "session=1.".to_owned(),
        "session=' or 1=1--.x".to_owned(),
        "session=99999999999999999999.x".to_owned(),
    ] {
        let client = app
            .anonymous
            .with_header("cookie", &cookie)
            .with_header("x-csrftoken", &ann.csrf_token);
        let status = client.get(STATUS).await.expect(200).json();
        assert_eq!(status["authenticated"], false, "{cookie}");
        client.get("/api/v1/articles").await.expect(200);
        let url = format!("{USERS}/{id}");
        client.patch(&url, json!({"firstName": "Eve"})).await.expect(401);
    }
    assert_eq!(app.database().rows(), before);
    assert!(ann.is_known().await && bob.is_known().await);
}

/// SEC-13, SEC-20: a session that ends for any reason is rejected at the next request.
#[tokio::test]
async fn an_ended_session_is_rejected_at_the_next_request() {
    for end in [
        "UPDATE auth_sessions SET expires_at = created_at",
        "DELETE FROM auth_sessions",
        "UPDATE users SET is_active = FALSE",
        "UPDATE users SET password_hash = password_hash || 'x'",
        "DELETE FROM users",
    ] {
        let app = BackendApp::start().await;
        let (id, _) = app.user("ann").await;
        let ann = Browser::log_in(&app.anonymous, "ann").await;
        assert!(ann.is_known().await);
        app.database().execute(end);
        let before = app.database().rows();
        assert!(!ann.is_known().await, "{end}");
        for (method, url, body) in writes(id) {
            let answer = ann.page().send_json(method, &url, body).await;
            let expected = if url == LOGOUT { 204 } else { 401 };
            answer.expect(expected);
        }
        ann.bare().get(SESSIONS).await.expect(401);
        assert_eq!(app.database().rows(), before, "{end}");
    }
}

/// SEC-13: use extends the expiry, at most once a minute.
#[tokio::test]
async fn use_extends_the_expiry_of_a_session() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let ann = Browser::log_in(&app.anonymous, "ann").await;
    let database = app.database();
    let end = || database.value::<String>("SELECT CAST(max(expires_at) AS TEXT) FROM auth_sessions");
    let first = end();
    assert!(ann.is_known().await);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(end(), first, "it was put off just now");
    let (earlier, later) = if database.is_postgres() {
        ("now() + interval '1 hour'", "now() + interval '13 days'")
    } else {
        (
            "(unixepoch() + 3600) * 1000000",
            "(unixepoch() + 13 * 86400) * 1000000",
        )
    };
    database.execute(&format!("UPDATE auth_sessions SET expires_at = {earlier}"));
    assert!(ann.is_known().await);
    let put_off = format!("SELECT count(*) FROM auth_sessions WHERE expires_at > {later}");
    for _ in 0..100 {
        if database.value::<i64>(&put_off) > 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the end is still {}", end());
}

/// SEC-13: expired credentials are deleted.
#[tokio::test]
async fn expired_sessions_and_tokens_are_deleted_by_later_logins() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    app.user("bob").await;
    let database = app.database();
    let count = |table: &str| database.value::<i64>(&format!("SELECT count(*) FROM {table}"));
    // One of the tokens belongs to the tests' admin.
    for (table, given) in [("auth_sessions", 2), ("auth_tokens", 3)] {
        database.execute(&format!("UPDATE {table} SET expires_at = created_at"));
        assert_eq!(count(table), given);
    }
    log_in(&app.anonymous, "bob", "both").await.expect(200);
    // The login does not wait for the deletion.
    for _ in 0..1000 {
        if (count("auth_sessions"), count("auth_tokens")) == (1, 1) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!(
        "{} sessions, {} tokens",
        count("auth_sessions"),
        count("auth_tokens")
    );
}

/// SEC-17: users list their own sessions, without the secrets, and revoke them from elsewhere.
#[tokio::test]
async fn users_list_and_revoke_their_sessions() {
    let app = BackendApp::start().await;
    app.user("bob").await;
    let bob = Browser::log_in(&app.anonymous, "bob").await;
    app.anonymous
        .post(
            USERS,
            json!({"email": "ann@example.com", "username": "ann", "password": "correct horse"}),
        )
        .await
        .expect(201);
    let phone = app.anonymous.with_header("user-agent", "Phone");
    let phone = Browser::of(
        &app.anonymous,
        &log_in(&phone, "ann", "session").await.expect(200),
    );
    let desk = Browser::log_in(&app.anonymous, "ann").await;
    let list = desk.bare().get(SESSIONS).await.expect(200);
    assert!(!list.text().contains("Hash") && !list.text().contains("stamp"));
    let list = list.json();
    let sessions = list.as_array().unwrap();
    let agents: Vec<_> = sessions.iter().map(|session| &session["userAgent"]).collect();
    assert_eq!(agents, [&json!("Phone"), &json!(null)]);
    assert_eq!(
        desk.bare().get(STATUS).await.json()["sessionId"],
        sessions[1]["id"]
    );

    let url = format!("{SESSIONS}/{}", sessions[0]["id"]);
    let missing = bob.page().delete(&format!("{SESSIONS}/9999")).await.expect(404);
    assert_eq!(bob.page().delete(&url).await.expect(404).body, missing.body);
    app.anonymous.delete(&url).await.expect(401);
    desk.bare().delete(&url).await.expect(403);
    assert!(phone.is_known().await);
    desk.page().delete(&url).await.expect(204);
    assert!(!phone.is_known().await && desk.is_known().await && bob.is_known().await);
    let login = json!({"email": "ann", "password": "correct horse", "credential": "both"});
    app.anonymous
        .send_json(Method::POST, LOGIN, login)
        .await
        .expect(200);
}
