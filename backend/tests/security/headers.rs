//! Security headers, and secrets in logs.

use backend::api::{Api, Error, Reply, Result};
use bytes::Bytes;
use http::Method;
use model_resource::{HeaderValue, header, route};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, Log, RawConnection, Response, TestApp, TestDatabase};

use crate::support::{BackendApp, Process};

#[route("/page")]
async fn page() -> Value {
    json!("<script>alert(1)</script>")
}

#[route("/kept")]
async fn kept() -> Result<Reply> {
    let reply = Reply::json(&json!("kept"))?;
    Ok(reply.with_header(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=60"),
    ))
}

#[route("/welcome")]
async fn welcome() -> Result<Reply> {
    let reply = Reply::json(&json!("welcome"))?;
    Ok(reply.with_header(header::SET_COOKIE, HeaderValue::from_static("seen=1")))
}

#[route("/fails")]
async fn fails() -> Result<Reply> {
    Err(Error::internal("on purpose"))
}

fn api() -> Api {
    Api::new("headers")
        .prefix("/api")
        .route(page)
        .route(kept)
        .route(welcome)
        .route(fails)
        .authenticator(HeaderAuthenticator)
}

/// Requests one response of each kind.
async fn answers(client: &Client) -> Vec<Response> {
    let garbage = Some(("application/json", Bytes::from_static(b"{")));
    vec![
        client.get("/api/page").await.expect(200),
        client.head("/api/page").await.expect(200),
        client.options("/api/page").await.expect(204),
        client.get("/api/none").await.expect(404),
        client.delete("/api/page").await.expect(405),
        client.get("/api/fails").await.expect(500),
        client.send(Method::PUT, "/api/page", garbage).await.expect(405),
    ]
}

/// HDR-1: every response forbids content sniffing.
#[tokio::test]
async fn every_response_of_the_api_forbids_sniffing() {
    let app = TestApp::with_api(api()).await;
    for answer in answers(&app).await {
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{answer:?}");
    }
}

/// HDR-2: responses to authenticated callers are not stored unless the view allows it, and errors never are.
#[tokio::test]
async fn responses_to_authenticated_callers_and_errors_are_not_stored() {
    let app = TestApp::with_api(api()).await;
    let known = app.as_caller("1");
    let page = known.get("/api/page").await.expect(200);
    assert_eq!(page.header("cache-control"), "no-store");
    let kept = known.get("/api/kept").await.expect(200);
    assert_eq!(kept.header("cache-control"), "private, max-age=60");
    for path in ["/api/none", "/api/fails"] {
        for client in [&known, &app.client] {
            assert_eq!(
                client.get(path).await.header("cache-control"),
                "no-store",
                "{path}"
            );
        }
    }
    let welcome = app.get("/api/welcome").await.expect(200);
    assert_eq!(welcome.header("cache-control"), "no-store", "a cookie is for one");
    let anonymous = app.get("/api/page").await.expect(200);
    assert_eq!(anonymous.header("cache-control"), "");
}

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
    let mut process = Process::start_logging(&database, "trace");
    send_secrets(&process.client).await;
    process.signal("TERM");
    let (_, written) = process.wait();
    for text in [log.text(), written] {
        assert!(text.contains("/api/v1/auth/login"), "the log is kept: {text}");
        let shown: Vec<&str> = text.lines().filter(|line| line.contains("s3cr3t")).collect();
        assert!(shown.is_empty(), "{shown:#?}");
    }
}
