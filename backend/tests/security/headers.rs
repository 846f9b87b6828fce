//! The name of the server in headers, and secrets in logs.

use bytes::Bytes;
use http::Method;
use serde_json::json;
use test_support::{Client, Log, Process, RawConnection, TestDatabase};

use crate::serve;
use crate::support::BackendApp;

/// HDR-3: no response names the server software.
#[tokio::test]
async fn no_response_names_the_program_or_its_version() {
    let app = BackendApp::start().await;
    let mut heads = Vec::new();
    for path in ["/api/v1/tags", "/api/v1/none", "/healthz", "/none"] {
        let answer = app.anonymous.get(path).await;
        heads.push(format!("{:?} {}", answer.headers, answer.text()));
    }
    let mut raw = RawConnection::connect(app.address).await;
    raw.send("no request at all\r\n\r\n").await.unwrap();
    heads.push(raw.read_to_end().await);
    for head in heads {
        let head = head.to_lowercase();
        for word in [
            "server:",
            "\"server\"",
            "x-powered-by",
            "hyper",
            "axum",
            "model-resource",
        ] {
            assert!(!head.contains(word), "{word} in {head}");
        }
        assert!(!head.contains(env!("CARGO_PKG_VERSION")), "{head}");
    }
}

/// Sends secrets in every place of a request, in valid and invalid ways.
async fn send_secrets(client: &Client) {
    let secret = |name: &str| format!("s3cr3t-{name}");
    for (header, value) in [
        ("authorization", format!("Bearer {}", secret("bearer"))),
        ("authorization", format!("Basic {}", secret("basic"))),
        ("authentication-token", secret("alias")),
        ("cookie", format!("session={}", secret("cookie"))),
        ("x-csrftoken", secret("csrf")),
        ("proxy-authorization", secret("proxy")),
    ] {
        let client = client.with_header(header, &value);
        for path in ["/api/v1/auth/status", "/api/v1/tags", "/api/v1/none"] {
            client.get(path).await;
        }
        client.post("/api/v1/tags", json!({"nonsense": 1})).await;
    }
    let password = secret("password");
    for body in [
        json!({"email": "ann@example.com", "username": "ann", "password": password}),
        json!({"email": "ann@example.com", "password": password}),
        json!({"email": "ann@example.com", "password": [password]}),
        json!({"email": "ann@example.com", "password": password, "more": 1}),
        json!([password]),
    ] {
        for path in ["/api/v1/auth/users", "/api/v1/auth/login"] {
            client.post(path, body.clone()).await;
        }
    }
    let cut = format!("{{\"password\": \"{password}");
    let cut = Some(("application/json", Bytes::from(cut)));
    client.send(Method::POST, "/api/v1/auth/login", cut).await;
    for path in ["/api/v1/tags", "/api/v1/auth/status", "/api/v1/none"] {
        client.get(&format!("{path}?token={}", secret("query"))).await;
    }
}

/// HDR-4: no log level contains a credential, a cookie, a CSRF token, a password or a query.
#[tokio::test]
async fn logs_of_every_level_hold_no_secret() {
    let log = Log::start();
    let app = BackendApp::start().await;
    send_secrets(&app.anonymous).await;
    let database = TestDatabase::create();
    let mut process = Process::start(serve::command(&database.url()).env("BACKEND_LOG", "trace"));
    send_secrets(&process.client).await;
    process.signal("TERM");
    let (_, written) = process.wait();
    for text in [log.text(), written] {
        assert!(text.contains("/api/v1/auth/login"), "the log is kept: {text}");
        let shown: Vec<&str> = text.lines().filter(|line| line.contains("s3cr3t")).collect();
        assert!(shown.is_empty(), "{shown:#?}");
    }
}
