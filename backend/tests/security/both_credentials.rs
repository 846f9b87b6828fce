//! A cookie and a bearer token in one request. A login issues both by default.

use serde_json::json;

use crate::browser::{Browser, LOGOUT, STATUS, log_in};
use crate::support::BackendApp;

/// SEC-12: logging out with a token also ends the session of the cookie.
#[tokio::test]
async fn logging_out_with_a_token_and_a_cookie_ends_both() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let answer = log_in(&app.anonymous, "ann", "both").await.expect(200);
    let session = Browser::of(&app.anonymous, &answer);
    let other = Browser::log_in(&app.anonymous, "ann").await;
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    let both = session.bare().with_token(&token);
    let gone = both.post(LOGOUT, json!({})).await.expect(204);
    assert!(gone.header("set-cookie").starts_with("session=; "));
    assert!(!session.is_known().await, "the session lives on");
    both.get(STATUS).await.expect(401);
    assert!(other.is_known().await, "it was not asked for");
}

/// SEC-12: logging in with a token also ends the old session of the cookie.
#[tokio::test]
async fn a_login_with_a_token_beside_the_cookie_ends_the_old_session() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let answer = log_in(&app.anonymous, "ann", "both").await.expect(200);
    let before = Browser::of(&app.anonymous, &answer);
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    let both = before.bare().with_token(&token);
    let after = log_in(&both, "ann", "session").await.expect(200);
    assert!(Browser::of(&app.anonymous, &after).is_known().await);
    assert!(!before.is_known().await, "the old session lives on");
}
