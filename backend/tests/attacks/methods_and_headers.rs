//! Attacks by HTTP itself: methods, headers and paths.

use http::Method;
use serde_json::{Value, json};
use test_support::RawConnection;

use crate::support::BackendApp;

/// Unsupported methods, by any name, are a 405 whose `Allow` has exactly the supported ones.
#[tokio::test]
async fn a_wrong_method_is_a_405_with_an_exact_allow() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = app.database().rows();
    let (collection, item) = ("/api/v1/categories", "/api/v1/categories/1");
    for (methods, url, allow) in [
        (
            "PUT PATCH DELETE TRACE PROPFIND get post QUERY",
            collection,
            "GET, HEAD, POST, OPTIONS",
        ),
        (
            "POST TRACE PROPFIND get delete Patch",
            item,
            "GET, HEAD, PUT, PATCH, DELETE, OPTIONS",
        ),
        (
            "GET HEAD PUT DELETE post",
            "/api/v1/contact-submissions",
            "POST, OPTIONS",
        ),
        ("GET PUT DELETE post", "/api/v1/auth/login", "POST, OPTIONS"),
        ("POST DELETE", "/api/v1/auth/status", "GET, HEAD, OPTIONS"),
    ] {
        for method in methods.split(' ') {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let answer = app.send(method.clone(), url, None).await;
            assert_eq!(answer.status, 405, "{method} {url}");
            assert_eq!(answer.header("allow"), allow, "{method} {url}");
        }
    }
    assert_eq!(app.database().rows(), before);
}

/// A method in a header or in the query is not the request's method.
#[tokio::test]
async fn a_method_override_is_ignored() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = app.database().rows();
    for header in ["x-http-method-override", "x-http-method", "x-method-override"] {
        let client = app.with_header(header, "DELETE");
        client
            .get("/api/v1/categories/1?_method=DELETE")
            .await
            .expect(200);
        client.post("/api/v1/categories/1", json!({})).await.expect(405);
    }
    assert_eq!(app.database().rows(), before);
}

/// HEAD is GET without the body, on rows, lists, views and errors.
#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    for url in [
        "/api/v1/categories",
        "/api/v1/categories/1",
        "/api/v1/categories/2",
        "/api/v1/tags",
        "/api/v1/auth/status",
        "/api/v1/nothing",
    ] {
        let (get, head) = (app.get(url).await, app.head(url).await);
        assert_eq!(head.status, get.status, "{url}");
        assert!(head.body.is_empty(), "{url}");
        let (mut got, mut headed) = (get.headers, head.headers);
        for name in ["date", "x-request-id"] {
            got.remove(name);
            headed.remove(name);
        }
        assert_eq!(headed, got, "{url}");
    }
}

/// OPTIONS succeeds although every table was dropped.
#[tokio::test]
async fn options_needs_no_database() {
    let app = BackendApp::start().await;
    app.database().execute("DROP TABLE tags");
    app.get("/api/v1/tags").await.expect(503);
    for url in ["/api/v1/tags", "/api/v1/tags/1"] {
        let answer = app.options(url).await.expect(204);
        assert!(answer.header("allow").contains("OPTIONS"));
        assert!(answer.body.is_empty());
    }
}

/// Any `Accept` is negotiated, or rejected before anything is written.
#[tokio::test]
async fn an_unusual_accept_is_negotiated_and_never_a_500() {
    let app = BackendApp::start().await;
    let long = "text/x, ".repeat(100 * 1024 / 8);
    for accept in [
        "*/*",
        "text/*;q=0.1, */*;q=0.2",
        ";;;,,,/",
        "*",
        "a/b;q=x",
        "application/*",
        &long,
    ] {
        let client = app.with_header("accept", accept);
        let answer = client.get("/api/v1/categories").await.expect(200);
        assert_eq!(answer.header("content-type"), "application/json");
    }
    let before = app.database().rows();
    for accept in [
        "application/json;q=0",
        "text/*;q=0.1, */*;q=0",
        "application/*;q=0.0",
    ] {
        let client = app.with_header("accept", accept);
        client.get("/api/v1/categories").await.expect(406);
        client
            .post("/api/v1/categories", json!({"name": "Rust"}))
            .await
            .expect(406);
    }
    assert_eq!(app.database().rows(), before);
}

/// Only the digits of an existing key, possibly percent-encoded, identify a row.
#[tokio::test]
async fn an_unusual_id_in_the_path_is_a_404_and_never_a_500() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = app.database().rows();
    app.get("/api/v1/categories/%31").await.expect(200);
    let ids = [
        "0",
        "-1",
        "+1",
        "01",
        "1.0",
        "1e0",
        "1%20",
        "%201",
        "1%00",
        "%EF%BC%91",
        "%D9%A1",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "99999999999999999999999999",
        "..%2f1",
        "1%2f",
        "%2e%2e",
        "0x1",
        "1,2",
        "1;drop",
        "'1'",
        "1%27%20or%20%271%27=%271",
        "%ff",
        "%",
        "%zz",
        "null",
        "*",
    ];
    for id in ids {
        for url in [
            format!("/api/v1/categories/{id}"),
            format!("/api/v1/auth/users/{id}"),
        ] {
            let answer = app.get(&url).await;
            assert_eq!(answer.status, 404, "{url}: {}", answer.text());
        }
        let url = format!("/api/v1/categories/{id}");
        app.put(&url, json!({"name": "Eve"})).await.expect(404);
        app.patch(&url, json!({"name": "Eve"})).await.expect(404);
        app.delete(&url).await.expect(404);
    }
    for id in [
        "1",
        "00000000-0000-0000-0000-000000000000",
        "67e5504410b1426f9247bb680e5fe0c8",
    ] {
        app.get(&format!("/api/v1/samples/{id}")).await.expect(404);
    }
    assert_eq!(app.database().rows(), before);
}

/// HTML in a value, a name, a URL or an error is never part of a page, and writes are answered with JSON.
#[tokio::test]
async fn html_in_a_value_is_shown_as_text() {
    let app = BackendApp::start().await;
    let browser = app.with_header("accept", "text/html");
    let script = "<script>alert(1)</script>";
    let created = browser
        .post("/api/v1/categories", json!({"name": script}))
        .await
        .expect(201);
    let rejected = browser
        .post("/api/v1/categories", json!({script: 1}))
        .await
        .expect(400);
    for answer in [created, rejected] {
        assert_eq!(answer.header("content-type"), "application/json");
        let _: Value = answer.json();
    }
    for (path, status) in [
        ("/api/v1/categories", 200),
        ("/api/v1/categories/1", 200),
        ("/api/v1/categories?name=%3Cscript%3Ealert(1)%3C/script%3E", 200),
        ("/api/v1/categories?%3Cscript%3Ealert(1)%3C/script%3E=1", 400),
        ("/api/v1/%3Cscript%3Ealert(1)%3C/script%3E", 404),
    ] {
        let page = browser.get(path).await.expect(status);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert!(!page.text().contains(script), "{path}");
    }
    let page = browser.get("/api/v1/categories").await.text();
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
}

/// Two lengths, a length beside chunks, or a broken chunk cannot smuggle a second request.
#[tokio::test]
async fn a_request_with_two_lengths_smuggles_nothing() {
    let app = BackendApp::start().await;
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    let before = app.database().rows();
    let smuggled = format!(
        "DELETE /api/v1/categories/1 HTTP/1.1\r\nHost: x\r\n{}\r\n",
        app.header_lines()
    );
    for framing in [
        format!("Content-Length: 0\r\nContent-Length: {}", smuggled.len()),
        format!("Content-Length: {}\r\nContent-Length: 0", smuggled.len()),
        format!("Content-Length: +{}", smuggled.len()),
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity".to_owned(),
        "Transfer-Encoding: xchunked".to_owned(),
    ] {
        let mut raw = RawConnection::connect(app.address).await;
        let head = format!("POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{framing}\r\n\r\n");
        let _ = raw.send(format!("{head}{smuggled}")).await;
        let answer = raw.read_to_end().await;
        assert!(!answer.contains(" 204 "), "{framing}: {answer}");
        assert_eq!(app.database().rows(), before, "{framing}");
    }
}

/// A client that sends its whole body before it reads gets the rejection, regardless of the body's size.
#[tokio::test]
async fn a_rejection_reaches_a_client_that_is_still_sending() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let before = app.database().rows();
    let body = format!("{{\"name\": \"{}\"}}", "x".repeat(16 * 1024 * 1024));
    for (line, media_type, status) in [
        ("POST /api/v1/categories", "application/json", 413),
        ("POST /api/v1/auth/login", "application/json", 413),
        ("PUT /api/v1/categories/1", "application/json", 404),
        ("POST /api/v1/nothing", "application/json", 404),
        ("POST /elsewhere", "application/json", 404),
        ("DELETE /api/v1/categories", "application/json", 405),
        ("PATCH /api/v1/auth/users/1", "application/json", 401),
        ("POST /api/v1/auth/login", "text/plain", 415),
    ] {
        let mut raw = RawConnection::connect(app.address).await;
        let client = if line.contains("/auth/") {
            &app.anonymous
        } else {
            &app.client
        };
        let head = format!(
            "{line} HTTP/1.1\r\nHost: x\r\n{}Content-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
            client.header_lines(),
            body.len()
        );
        raw.send(head).await.unwrap();
        let sent = raw.send(&body).await;
        assert!(sent.is_ok(), "{line}: {sent:?}");
        let answer = raw.read_head().await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{line}: {answer:?}"
        );
    }
    assert_eq!(app.database().rows(), before);
}
