//! Unusual bodies.

use backend::app::Settings;
use bytes::Bytes;
use http::Method;
use model_resource::Server;
use serde_json::json;

use crate::support::BackendApp;

const STRANGE: [&[u8]; 34] = [
    b"",
    b" ",
    b"null",
    b"true",
    b"0",
    b"-",
    b"\"x\"",
    b"[]",
    b"[{}]",
    b"[[[[[[]]]]]]",
    b"{",
    b"}",
    b"{}{}",
    b"{\"\": 1}",
    b"{\"name\"}",
    b"{\"name\": }",
    b"{\"name\": \"x\",}",
    b"{'name': 'x'}",
    b"{\"name\": NaN}",
    b"{\"name\": Infinity}",
    b"{\"name\": 1e400}",
    b"{\"name\": 99999999999999999999999999}",
    b"{\"name\": \"\\u0000\"}",
    b"{\"name\": \"\\ud800\"}",
    b"{\"\\ud800\": 1}",
    b"{\"name\": \"\0\"}",
    b"{\"name\": \"\xff\"}",
    b"\xff\xfe{\0}\0",
    b"{\"name\": {\"name\": {\"name\": []}}}",
    b"{\"name\": [\"x\"]}",
    b"{\"__proto__\": {\"x\": 1}, \"constructor\": 1}",
    b"{\"id\": {\"$gt\": 0}}",
    b"{\"name\": \"x\", \"name\": \"y\"}",
    b"/* */ {}",
];

/// ERR-15, FLT-5: no unusual body is a 500, and a rejection changes no row.
#[tokio::test]
async fn an_unusual_body_is_never_a_500_and_a_rejection_changes_nothing() {
    // Each body comes from another address, since the rate limit would reject most of them.
    let settings = Settings {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..Settings::unlimited()
    };
    let app = BackendApp::start_with(Server::default(), settings).await;
    let (_, ann) = app.user("ann").await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    app.post("/api/v1/tags", json!({"tag": {"name": "rust"}}))
        .await
        .expect(201);
    app.post("/api/v1/articles", json!({"title": "One", "body": "Text"}))
        .await
        .expect(201);
    app.post("/api/v1/articles/1/comments", json!({"name": "A", "body": "B"}))
        .await
        .expect(201);
    let before = app.database().rows();
    for (number, body) in STRANGE.into_iter().enumerate() {
        for (methods, url) in [
            ("POST", "/api/v1/categories"),
            ("PUT PATCH", "/api/v1/categories/1"),
            ("POST", "/api/v1/tags"),
            ("PUT PATCH", "/api/v1/tags/1"),
            ("POST", "/api/v1/articles"),
            ("PUT PATCH", "/api/v1/articles/1"),
            ("POST", "/api/v1/articles/1/comments"),
            ("PUT PATCH", "/api/v1/articles/1/comments/1"),
            ("POST", "/api/v1/samples"),
            ("POST", "/api/v1/contact-submissions"),
            ("POST", "/api/v1/auth/users"),
            ("PUT PATCH", "/api/v1/auth/users/1"),
            ("POST", "/api/v1/auth/login"),
        ] {
            let client = match url {
                "/api/v1/auth/users/1" => &ann,
                "/api/v1/auth/users" | "/api/v1/auth/login" => &app.anonymous,
                _ => &app.client,
            };
            let client = client.with_header("x-forwarded-for", &format!("10.0.0.{number}"));
            for method in methods.split(' ') {
                let method: Method = method.parse().unwrap();
                let sent = Some(("application/json", Bytes::from_static(body)));
                let answer = client.send(method.clone(), url, sent).await;
                let text = String::from_utf8_lossy(body);
                assert_eq!(
                    answer.status.as_u16(),
                    400,
                    "{method} {url} with {text:?}: {}",
                    answer.text()
                );
            }
        }
    }
    assert_eq!(app.database().rows(), before);
}
