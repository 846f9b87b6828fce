//! Clones of an authenticator in several apis, which share its cache of credentials.

use std::time::Duration;

use axum::body::Body;
use http::{Request, header};
use http_body_util::BodyExt as _;
use model_resource::{Api, Draft};
use model_resource_security::AuthToken;
use serde_json::{Value, json};
use test_support::Client;
use tower::ServiceExt as _;

use crate::readers::{Library, ReaderSecurity};

const STATUS: &str = "/auth/status";

fn cached() -> ReaderSecurity {
    ReaderSecurity::new().credential_cache(Duration::from_secs(60))
}

fn api(security: ReaderSecurity) -> Api {
    let api = Api::new("library").authenticator(security);
    api.register(ReaderSecurity::routes())
}

/// Adds a librarian, and returns the first token of the database.
async fn first_token(app: &Library) -> String {
    let reader = app.add("a-17").await;
    ReaderSecurity::grant_role(&app.store, &reader, "librarian")
        .await
        .unwrap();
    let draft = Draft::new().with(AuthToken::NAME, "script");
    let security = ReaderSecurity::new();
    let issued = security.issue_token(&app.store, &reader, draft).await;
    issued.unwrap().0
}

async fn roles(client: &Client) -> Value {
    client.get(STATUS).await.expect(200).json()["roles"].clone()
}

/// LOAD-76: a cached token is refused by an api on another database that has a token with the same key.
#[tokio::test]
async fn a_cached_token_is_not_one_of_another_database() {
    let security = cached();
    let [one, other] = [
        Library::with_api(api(security.clone())).await,
        Library::with_api(api(security)).await,
    ];
    let tokens = [first_token(&one).await, first_token(&other).await];
    for _ in 0..2 {
        one.with_token(&tokens[0]).get(STATUS).await.expect(200);
        other.with_token(&tokens[0]).get(STATUS).await.expect(401);
        other.with_token(&tokens[1]).get(STATUS).await.expect(200);
        one.with_token(&tokens[1]).get(STATUS).await.expect(401);
    }
}

/// LOAD-76: a clone with other settings shares no cached roles.
#[tokio::test]
async fn a_clone_with_other_settings_shares_no_cached_roles() {
    let security = cached();
    let app = Library::with_api(api(security.clone())).await;
    let token = first_token(&app).await;
    assert_eq!(roles(&app.with_token(&token)).await, json!(["librarian"]));

    let other = api(security.role_includes("librarian", ["helper"]));
    let other = other.store(app.store.clone()).init_app(axum::Router::new());
    let request = Request::get(STATUS)
        .header(header::HOST, "localhost")
        .header(header::AUTHORIZATION, format!("Bearer {token}"));
    let reply = other.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let body = reply.into_body().collect().await.unwrap().to_bytes();
    let status: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(status["roles"], json!(["librarian", "helper"]));
    assert_eq!(roles(&app.with_token(&token)).await, json!(["librarian"]));
}
