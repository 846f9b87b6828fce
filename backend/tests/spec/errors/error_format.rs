//! Form and status of all errors other than validation errors.

use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::json;
use test_support::Response;

use crate::support::BackendApp;

/// Provokes each error of the reference application once. Returns its status and its code with the response.
async fn one_of_each(app: &BackendApp, accept: &str) -> Vec<(u16, &'static str, Response)> {
    let (_, ann) = app.user("ann").await;
    let client = app.with_header("accept", accept);
    let anyone = app.anonymous.with_header("accept", accept);
    let ann = ann.with_header("accept", accept);
    let json = |text: &str| Some(("application/json", Bytes::from(text.to_owned())));
    let users = "/api/v1/auth/users";
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(2 * 1024 * 1024));
    let categories = "/api/v1/categories";
    vec![
        (
            400,
            "malformed",
            client.send(Method::POST, categories, json("{")).await,
        ),
        (
            401,
            "unauthorized",
            anyone.patch("/api/v1/auth/users/1", json!({})).await,
        ),
        (403, "forbidden", ann.post(users, json!({})).await),
        (404, "not_found", client.get("/api/v1/categories/1").await),
        (404, "not_found", client.get("/api/v1/nothing/here").await),
        (404, "not_found", client.get("/api/v1/nothing").await),
        (405, "unimplemented", client.delete("/api/v1/auth/users/1").await),
        (405, "method_not_allowed", client.delete(categories).await),
        (
            405,
            "method_not_allowed",
            client.delete("/api/v1/auth/login").await,
        ),
        (
            413,
            "too_large",
            client.send(Method::POST, categories, json(&large)).await,
        ),
        (
            415,
            "unsupported_media_type",
            client
                .send(Method::POST, categories, Some(("text/plain", Bytes::from("{}"))))
                .await,
        ),
        (
            400,
            "malformed",
            client.send(Method::POST, "/api/v1/auth/login", json("{")).await,
        ),
        (
            415,
            "unsupported_media_type",
            client
                .send(
                    Method::POST,
                    "/api/v1/auth/login",
                    Some(("text/plain", Bytes::from("{}"))),
                )
                .await,
        ),
        (
            401,
            "unauthorized",
            client
                .post("/api/v1/auth/login", json!({"email": "x", "password": "y"}))
                .await,
        ),
    ]
}

/// ERR-4, FLT-8: below the prefix every error is a JSON object with a message, including errors of view functions.
#[tokio::test]
async fn every_other_error_is_a_json_object_with_a_message() {
    let app = BackendApp::start().await;
    for (status, code, answer) in one_of_each(&app, "text/plain, */*;q=0.8").await {
        let answer = answer.expect(status);
        assert_eq!(answer.header("content-type"), "application/json", "{code}");
        let body = answer.json();
        assert!(!body["message"].as_str().unwrap().is_empty(), "{code}");
        assert_eq!(body.as_object().unwrap().len(), 1, "{body}");
    }
    app.get("/api/v1/categories").await.expect_json(200, json!([]));
}

/// ERR-5: a client that prefers problem documents gets RFC 9457.
#[tokio::test]
async fn a_client_that_prefers_problem_json_gets_rfc_9457_documents() {
    let app = BackendApp::start().await;
    for (status, code, answer) in one_of_each(&app, "application/problem+json").await {
        let answer = answer.expect(status);
        assert_eq!(
            answer.header("content-type"),
            "application/problem+json",
            "{code}"
        );
        let body = answer.json();
        assert_eq!(body["status"], status);
        assert_eq!(body["code"], code);
        for key in ["type", "title", "detail"] {
            assert!(!body[key].as_str().unwrap().is_empty(), "{key} of {body}");
        }
    }
}

/// ERR-5, ERR-20: validation errors keep their `errors`, each message with its code. A client that prefers plain JSON
/// gets plain JSON.
#[tokio::test]
async fn validation_errors_keep_their_errors_in_a_problem_document() {
    let app = BackendApp::start().await;
    let url = "/api/v1/categories";
    let errors = json!({"name": ["Name is required."]});
    let problem = app.with_header("accept", "application/problem+json, application/json;q=0.9");
    let answer = problem.post(url, json!({})).await.expect(400);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert_eq!(answer.json()["code"], "invalid");
    let coded = json!({"name": [{"message": "Name is required.", "code": "required"}]});
    assert_eq!(answer.json()["errors"], coded);
    let plain = app.with_header("accept", "application/json, application/problem+json;q=0.9");
    let answer = plain.post(url, json!({})).await;
    assert_eq!(answer.header("content-type"), "application/json");
    answer.expect_json(400, json!({"errors": errors}));
}

/// ERR-6: an unsupported operation is a 405 that names the method and the operation; `Allow` has exactly the others.
#[tokio::test]
async fn an_unsupported_operation_is_a_405_that_names_method_and_operation() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let before = app.database().rows();
    for (method, url, allow, operation) in [
        (
            Method::GET,
            "/api/v1/contact-submissions",
            "POST, OPTIONS",
            Some("list"),
        ),
        (
            Method::GET,
            "/api/v1/auth/tokens/1",
            "DELETE, OPTIONS",
            Some("get"),
        ),
        (
            Method::DELETE,
            "/api/v1/auth/users/1",
            "GET, HEAD, PUT, PATCH, OPTIONS",
            Some("delete"),
        ),
        (
            Method::POST,
            "/api/v1/categories/1",
            "GET, HEAD, PUT, PATCH, DELETE, OPTIONS",
            Some("create"),
        ),
        (
            Method::PUT,
            "/api/v1/categories",
            "GET, HEAD, POST, OPTIONS",
            None,
        ),
        (Method::GET, "/api/v1/auth/login", "POST, OPTIONS", None),
    ] {
        let answer = app.send(method.clone(), url, None).await.expect(405);
        assert_eq!(answer.header("allow"), allow, "{method} {url}");
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(method.as_str()), "{message}");
        let named = operation.is_none_or(|operation| message.contains(&format!("\"{operation}\"")));
        assert!(named, "{message} does not name {operation:?}");
    }
    assert_eq!(app.database().rows(), before);
}

/// Returns a response without the headers that differ between any two responses.
fn seen(answer: Response) -> (u16, HeaderMap, Bytes) {
    let mut headers = answer.headers;
    headers.remove("x-request-id");
    headers.remove("date");
    (answer.status.as_u16(), headers, answer.body)
}

/// ERR-7: a nonexistent object and an invisible one are the same 404, byte for byte.
#[tokio::test]
async fn a_missing_object_and_an_invisible_one_are_the_same_404() {
    let app = BackendApp::start().await;
    let article = json!({"title": "One", "body": "Text"});
    for _ in 0..2 {
        app.post("/api/v1/articles", article.clone()).await.expect(201);
    }
    let comment = json!({"name": "Ann", "body": "Hello"});
    app.post("/api/v1/articles/1/comments", comment.clone())
        .await
        .expect(201);
    let before = app.database().rows();
    let mut answers = Vec::new();
    for url in [
        "/api/v1/articles/2/comments/1",
        "/api/v1/articles/2/comments/2",
        "/api/v1/articles/9/comments/1",
    ] {
        answers.push(seen(app.get(url).await));
        answers.push(seen(app.put(url, comment.clone()).await));
        answers.push(seen(app.patch(url, json!({"name": "Eve"})).await));
        answers.push(seen(app.delete(url).await));
    }
    assert_eq!(answers[0].0, 404);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
    assert_eq!(app.database().rows(), before);
    app.get("/api/v1/articles/1/comments/1").await.expect(200);
}

/// ERR-11: only JSON bodies are accepted; a request without a body needs no content type.
#[tokio::test]
async fn a_body_that_is_not_declared_as_json_is_a_415() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let body = Bytes::from(r#"{"name": "Go"}"#);
    let before = app.database().rows();
    for media_type in [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/jsonp",
        "text/json",
        "application/json; charset=iso-8859-1",
    ] {
        for (method, url) in [
            (Method::POST, "/api/v1/categories"),
            (Method::PUT, "/api/v1/categories/1"),
            (Method::PATCH, "/api/v1/categories/1"),
        ] {
            app.send(method, url, Some((media_type, body.clone())))
                .await
                .expect(415);
        }
    }
    assert_eq!(app.database().rows(), before);
    for media_type in [
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/vnd.api+json",
    ] {
        let sent = Some((media_type, body.clone()));
        app.send(Method::PATCH, "/api/v1/categories/1", sent)
            .await
            .expect(200);
    }
    let nothing = || Some(("text/plain", Bytes::new()));
    app.send(Method::GET, "/api/v1/categories/1", nothing())
        .await
        .expect(200);
    app.send(Method::POST, "/api/v1/categories", nothing())
        .await
        .expect(400);
    app.send(Method::DELETE, "/api/v1/categories/1", nothing())
        .await
        .expect(204);
}
