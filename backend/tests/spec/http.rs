//! HTTP: raw requests that violate the protocol, and quoted input in error messages.

use serde_json::{Value, json};
use test_support::{Client, RawConnection};

use crate::support::BackendApp;

/// Sends raw bytes and returns the status and the body of the response.
async fn answer(app: &BackendApp, request: impl AsRef<[u8]>) -> (u16, String) {
    let mut raw = RawConnection::connect(app.address).await;
    raw.send(request).await.unwrap();
    let response = raw.read_to_end().await;
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

/// Returns a GET of this version with these header lines.
fn get(url: &str, version: &str, lines: &str) -> String {
    format!("GET {url} HTTP/{version}\r\n{lines}Connection: close\r\n\r\n")
}

#[track_caller]
fn message(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("not JSON: {body:?}"));
    body["message"].as_str().unwrap().to_owned()
}

/// HTTP-1: a missing, duplicate or invalid `Host` is a 400 in the form of every error.
#[tokio::test]
async fn a_request_has_one_valid_host() {
    let app = BackendApp::start().await;
    let url = "/api/v1/categories";
    for host in [
        "example.com",
        "example.com:8000",
        "127.0.0.1",
        "[::1]:8000",
        "a_b:",
    ] {
        let (status, body) = answer(&app, get(url, "1.1", &format!("Host: {host}\r\n"))).await;
        assert_eq!((status, body.as_str()), (200, "[]"), "{host}");
    }
    for lines in [
        "",
        "Host: a\r\nHost: b\r\n",
        "Host: a\r\nHost: a\r\n",
        "Host:\r\n",
        "Host: a b\r\n",
        "Host: a/b\r\n",
        "Host: user@a\r\n",
        "Host: a:port\r\n",
        "Host: a:65536\r\n",
        "Host: [::1\r\n",
        "Host: \u{e4}\r\n",
    ] {
        for url in [url, "/api/v1/nothing", "/healthz", "http://a/api/v1/categories"] {
            let (status, body) = answer(&app, get(url, "1.1", lines)).await;
            assert_eq!(status, 400, "{lines:?} {url}: {body}");
            assert!(message(&body).contains("`Host`"), "{body}");
        }
    }
    let lines = "Accept: application/problem+json\r\n";
    let (status, body) = answer(&app, get(url, "1.1", lines)).await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, body["code"].as_str()), (400, Some("bad_request")));
}

/// HTTP-1: HTTP/1.0 requires no `Host`, but a duplicate or invalid one is rejected.
#[tokio::test]
async fn a_request_of_http_1_0_needs_no_host() {
    let app = BackendApp::start().await;
    let url = "/api/v1/categories";
    for (lines, expected) in [
        ("", 200),
        ("Host: a\r\n", 200),
        ("Host: a\r\nHost: b\r\n", 400),
        ("Host: a b\r\n", 400),
    ] {
        let (status, body) = answer(&app, get(url, "1.0", lines)).await;
        assert_eq!(status, expected, "{lines:?}: {body}");
    }
}

/// HTTP-1: a write without a host changes nothing.
#[tokio::test]
async fn a_write_without_a_host_changes_nothing() {
    let app = BackendApp::start().await;
    let before = app.database().rows();
    let request = format!(
        "POST /api/v1/categories HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: 15\r\n\
         Connection: close\r\n\r\n{{\"name\":\"Rust\"}}",
        app.client.header_lines()
    );
    assert_eq!(answer(&app, &request).await.0, 400);
    assert_eq!(app.database().rows(), before);
    let request = request.replace("HTTP/1.1\r\n", "HTTP/1.1\r\nHost: a\r\n");
    assert_eq!(answer(&app, &request).await.0, 201);
}

/// Returns a POST of a category in chunks, with these header lines.
fn in_chunks(client: &Client, lines: &str) -> String {
    format!(
        "POST /api/v1/categories HTTP/1.1\r\nHost: a\r\n{}Content-Type: application/json\r\n{lines}Connection: close\r\n\
         \r\nf\r\n{{\"name\":\"Rust\"}}\r\n0\r\n\r\n",
        client.header_lines()
    )
}

/// HTTP-2: any transfer coding other than a single `chunked` is rejected, and nothing is written.
#[tokio::test]
async fn chunked_is_the_only_transfer_coding() {
    let app = BackendApp::start().await;
    let before = app.database().rows();
    for codings in [
        &["gzip, chunked"][..],
        &["chunked, chunked"],
        &["identity, chunked"],
        &["chunked", "chunked"],
        &["gzip", "chunked"],
    ] {
        let lines: String = codings
            .iter()
            .map(|coding| format!("Transfer-Encoding: {coding}\r\n"))
            .collect();
        let (status, body) = answer(&app, in_chunks(&app.client, &lines)).await;
        assert_eq!(status, 501, "{codings:?}: {body}");
        assert!(message(&body).contains("chunked"), "{body}");
    }
    // The end of such a body is unknown, so the connection's parser rejects it before it becomes a request.
    for coding in ["gzip", "chunked, gzip", "identity", "xchunked"] {
        let lines = format!("Transfer-Encoding: {coding}\r\n");
        assert_eq!(
            answer(&app, in_chunks(&app.client, &lines)).await.0,
            400,
            "{coding}"
        );
    }
    assert_eq!(app.database().rows(), before);
    let (status, body) = answer(&app, in_chunks(&app.client, "Transfer-Encoding: Chunked\r\n")).await;
    assert_eq!(status, 201, "{body}");
}

/// HTTP-3: two `Content-Type` headers are a 400, even if equal, and nothing is written.
#[tokio::test]
async fn a_body_has_one_content_type() {
    let app = BackendApp::start().await;
    let before = app.database().rows();
    for second in ["application/json", "text/csv"] {
        let client = app
            .with_header("content-type", "application/json")
            .with_header("content-type", second);
        let body = json!({"name": "Rust"}).to_string();
        let refused = client
            .send(http::Method::POST, "/api/v1/categories", Some(("", body.into())))
            .await
            .expect(400);
        assert!(message(&refused.text()).contains("`Content-Type`"));
        let view = client
            .send(http::Method::POST, "/api/v1/auth/login", Some(("", "{}".into())))
            .await;
        assert!(message(&view.expect(400).text()).contains("`Content-Type`"));
    }
    assert_eq!(app.database().rows(), before);
}

/// HTTP-4: a JSON Patch is never taken for new values; it is a 415 except for the PATCH of one object.
#[tokio::test]
async fn json_patch_is_not_taken_for_new_values() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = app.database().rows();
    let (url, list) = ("/api/v1/categories/1", "/api/v1/categories");
    for media_type in [
        "application/json-patch+json",
        "Application/JSON-Patch+json; charset=utf-8",
    ] {
        let new_values = json!({"name": "Go"}).to_string();
        let send = |method, url| app.send(method, url, Some((media_type, new_values.clone().into())));
        send(http::Method::PATCH, url).await.expect(400);
        for (method, url) in [(http::Method::POST, list), (http::Method::PUT, url)] {
            let refused = send(method, url).await.expect(415);
            assert!(message(&refused.text()).contains("application/json"));
        }
    }
    assert_eq!(app.database().rows(), before);
    let merge = Some((
        "application/merge-patch+json",
        json!({"name": "Go"}).to_string().into(),
    ));
    app.send(http::Method::PATCH, url, merge).await.expect(200);
}

/// HTTP-6: error messages quote at most 64 characters of a client's name, and suggest nothing for a longer one.
#[tokio::test]
async fn long_names_are_cut_in_error_messages() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let (long, shown) = ("x".repeat(1000), format!("{}…", "x".repeat(64)));
    let spaced = format!("p{}age", "_".repeat(70));
    for query in [
        format!("{long}=1"),
        format!("{long}[gt]=1"),
        format!("title[{long}]=1"),
        format!("category.{long}=1"),
        format!("title.{long}=1"),
        format!("{long}.title=1"),
        format!("{spaced}=1"),
        format!("sort={long}"),
        format!("fields={long}"),
        format!("expand={long}"),
        format!("expand=a.b.c.{long}"),
        format!("format={long}"),
        format!("or=({long}=1)"),
        format!("or=({long})"),
        format!("or=(id=1){long}"),
        format!("and=({long}[{long}]=1)"),
    ] {
        let refused = app.get(&format!("/api/v1/articles?{query}")).await.expect(400);
        let reply = message(&refused.text());
        assert!(reply.chars().count() < 300, "{query}: {reply}");
        assert!(!reply.contains("did you mean"), "{query}: {reply}");
    }
    // A name of exactly that length is quoted whole, and may be similar to a known one.
    let reply = app
        .get(&format!("/api/v1/articles?{}=1", "x".repeat(64)))
        .await
        .expect(400);
    assert!(message(&reply.text()).contains(&format!("\"{}\"", "x".repeat(64))));

    let body = json!({"name": "Go", (long.as_str()): 1});
    app.post("/api/v1/categories", body)
        .await
        .expect_json(400, json!({"errors": {(shown.as_str()): ["Unknown field."]}}));
    for body in [
        format!("{{\"{long}\": 1, \"{long}\": 2}}"),
        format!("{{\"{long}\": nonsense}}"),
    ] {
        let body = Some(("application/json", body.into()));
        let refused = app.send(http::Method::POST, "/api/v1/categories", body).await;
        let reply = refused.expect(400).text();
        assert!(reply.chars().count() < 300, "{reply}");
    }
    for (url, body) in [("/api/v1/auth/login", json!({(long.as_str()): 1}))] {
        let reply = app.anonymous.post(url, body).await.expect(400).text();
        assert!(reply.chars().count() < 300, "{reply}");
    }
    let body = Some(("text/csv", format!("{long}\n1\n").into()));
    let reply = app.send(http::Method::POST, "/api/v1/samples", body).await;
    let reply = message(&reply.expect(400).text());
    assert!(reply.contains(&shown) && reply.chars().count() < 300, "{reply}");
    let method = http::Method::from_bytes(long.as_bytes()).unwrap();
    let reply = app.send(method, "/api/v1/categories", None).await.expect(405);
    assert!(message(&reply.text()).contains(&shown));
}
