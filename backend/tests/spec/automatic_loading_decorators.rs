//! Automatic loading decorators of the reference application.

use http::Method;
use serde_json::json;

use crate::support::BackendApp;

/// DEC-9: the same precedence holds for accounts in the reference application.
#[tokio::test]
async fn a_foreign_account_is_forbidden_whether_it_exists_or_not() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let (other, _) = app.user("bob").await;
    for path in [
        format!("/api/v1/auth/users/{other}"),
        "/api/v1/auth/users/99".to_owned(),
    ] {
        app.anonymous
            .patch(&path, json!({"username": 7}))
            .await
            .expect(401);
        ann.patch(&path, json!({"username": 7})).await.expect(403);
    }
    ann.patch(&format!("/api/v1/auth/users/{id}"), json!({"username": 7}))
        .await
        .expect(400);
    let unchanged = app.get(&format!("/api/v1/auth/users/{other}")).await.expect(200);
    assert_eq!(unchanged.json()["username"], "bob");
}

/// DEC-9: a create, which loads no row, checks the parent before the body.
#[tokio::test]
async fn a_missing_parent_hides_a_faulty_body() {
    let app = BackendApp::start().await;
    let send = |text: &'static str| {
        let body = Some(("application/json", text.into()));
        app.client.send(Method::POST, "/api/v1/articles/1/comments", body)
    };
    send("{not JSON").await.expect(404);
    let article = json!({"title": "t", "body": "b"});
    app.post("/api/v1/articles", article).await.expect(201);
    send("{not JSON").await.expect(400);
    app.get("/api/v1/articles/1/comments")
        .await
        .expect_json(200, json!([]));
}
