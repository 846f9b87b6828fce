//! Choosing the operation.

use serde_json::json;

use crate::support::BackendApp;

/// OP-1: HEAD returns the same status and headers as GET, without a body.
#[tokio::test]
async fn head_answers_like_get_without_a_body() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "one"}))
        .await
        .expect(201);
    for path in [
        "/api/v1/categories",
        "/api/v1/categories/1",
        "/api/v1/categories/2",
        "/api/v1/auth/status",
        "/api/v1/auth/users",
    ] {
        for client in [&app.client, &app.anonymous] {
            let (mut get, mut head) = (client.get(path).await, client.head(path).await);
            for response in [&mut get, &mut head] {
                response.headers.remove("date");
                response.headers.remove("x-request-id");
            }
            assert_eq!((get.status, &get.headers), (head.status, &head.headers), "{path}");
            assert!(!get.body.is_empty() && head.body.is_empty(), "{path}");
        }
    }
}

/// OP-2, OP-3: a URL without parameter lists on GET and creates on POST.
#[tokio::test]
async fn a_url_without_parameter_lists_on_get_and_creates_on_post() {
    let app = BackendApp::start().await;
    app.get("/api/v1/tags")
        .await
        .expect_json(200, json!({"tags": []}));
    app.post("/api/v1/tags", json!({"tag": {"name": "rust"}}))
        .await
        .expect_json(201, json!({"tag": {"id": 1, "name": "rust"}}));
}

/// OP-9: methods of unsupported operations are not supported.
#[tokio::test]
async fn a_url_supports_only_the_methods_of_its_operations() {
    let app = BackendApp::start().await;
    for (path, allow) in [
        ("/api/v1/auth/users", "GET, HEAD, POST, OPTIONS"),
        ("/api/v1/auth/sessions/1", "DELETE, OPTIONS"),
        ("/api/v1/auth/users/1", "GET, HEAD, PUT, PATCH, OPTIONS"),
        ("/api/v1/contact-submissions", "POST, OPTIONS"),
        ("/api/v1/auth/login", "POST, OPTIONS"),
    ] {
        assert_eq!(
            app.options(path).await.expect(204).header("allow"),
            allow,
            "{path}"
        );
    }
}

/// OP-10: OPTIONS needs no database.
#[tokio::test]
async fn options_works_while_the_database_does_not() {
    let app = BackendApp::start().await;
    app.database()
        .execute("DROP TABLE comments; DROP TABLE articles; DROP TABLE auth_tokens; DROP TABLE users;");
    for path in [
        "/api/v1/articles",
        "/api/v1/articles/1",
        "/api/v1/articles/1/comments",
        "/api/v1/articles/1/comments/1",
    ] {
        assert!(app.anonymous.get(path).await.status.is_server_error(), "{path}");
        let answer = app
            .anonymous
            .with_token("unknown")
            .options(path)
            .await
            .expect(204);
        assert!(answer.header("allow").starts_with("GET, HEAD, P"), "{path}");
    }
}
