//! Compressed responses.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use test_support::{RawConnection, TestApp};

use super::{accepting, decoded, notes, notes_within};

const CODINGS: [&str; 3] = ["gzip", "br", "zstd"];

/// CMP-1: a response is compressed with a coding that the client accepts, and contains the same as without.
#[tokio::test]
async fn responses_are_compressed_with_an_accepted_coding() {
    let app = notes(100).await;
    for path in [
        "/notes/1",
        "/notes?limit=5",
        "/notes?limit=100",
        "/notes?fields=title",
    ] {
        let plain = app.get(path).await.expect(200);
        assert_eq!(plain.header("content-encoding"), "");
        assert!(plain.header("vary").contains("accept-encoding"), "{plain:?}");
        for coding in CODINGS {
            let response = accepting(&app, coding).get(path).await.expect(200);
            assert_eq!(response.header("content-encoding"), coding, "{path}");
            assert_eq!(response.header("vary"), plain.header("vary"));
            assert_eq!(response.header("etag"), plain.header("etag"));
            assert!(response.body.len() < plain.body.len() / 2, "{path}");
            assert_eq!(decoded(&response), plain.body, "{path} {coding}");
        }
    }
    let preferred = accepting(&app, "gzip, deflate, br, zstd").get("/notes").await;
    assert_eq!(preferred.header("content-encoding"), "zstd");
}

/// CMP-1: exports are compressed while they are sent.
#[tokio::test]
async fn exports_are_compressed_while_they_are_sent() {
    let app = notes(300).await;
    for media in ["text/csv", "application/x-ndjson"] {
        let client = app.with_header("accept", media);
        let plain = client.get("/notes").await.expect(200);
        assert!(plain.body.len() > 1024 * 1024);
        for coding in CODINGS {
            let response = accepting(&client, coding).get("/notes").await.expect(200);
            assert_eq!(response.header("content-encoding"), coding);
            assert_eq!(response.header("content-length"), "");
            assert!(response.body.len() < plain.body.len() / 10);
            assert!(decoded(&response) == plain.body, "{media} {coding}");
        }
    }
}

/// CMP-2: small responses, refused codings, and clients that say nothing get responses as they are.
#[tokio::test]
async fn other_responses_are_not_compressed() {
    let app = notes(20).await;
    for (codings, path) in [
        ("gzip", "/notes/1?fields=title"),
        ("gzip", "/notes/0"),
        ("identity", "/notes"),
        ("gzip;q=0", "/notes"),
        ("deflate", "/notes"),
        ("", "/notes"),
        ("gzip;q=0.5, identity", "/notes"),
    ] {
        let response = accepting(&app, codings).get(path).await;
        assert_eq!(response.header("content-encoding"), "", "{codings} {path}");
        assert!(serde_json::from_slice::<Value>(&response.body).is_ok());
    }
    let created = accepting(&app, "gzip")
        .post("/notes", serde_json::json!({"title": "short"}))
        .await;
    assert_eq!(created.expect(201).header("content-encoding"), "");
}

/// CMP-3: responses that may contain a secret are not compressed, because their size would reveal it: pages, responses
/// that set cookies or forbid storing, and those to other origins.
#[tokio::test]
async fn responses_with_secrets_are_not_compressed() {
    let app = notes_within(8 * 1024 * 1024, 20).await;
    let client = accepting(&app, "gzip, br, zstd");
    for path in ["/secret", "/cookie", "/untransformed"] {
        let response = client.get(path).await.expect(200);
        assert_eq!(response.header("content-encoding"), "", "{path}");
        assert!(response.body.len() > 1024);
    }
    let page = client
        .with_header("accept", "text/html")
        .get("/notes")
        .await
        .expect(200);
    assert!(page.header("content-type").starts_with("text/html"));
    assert_eq!(page.header("content-encoding"), "");
    for (site, coding) in [
        ("cross-site", ""),
        ("same-site", ""),
        ("same-origin", "zstd"),
        ("none", "zstd"),
    ] {
        let response = client
            .with_header("sec-fetch-site", site)
            .get("/notes")
            .await
            .expect(200);
        assert_eq!(response.header("content-encoding"), coding, "{site}");
    }
    // A caller's own objects are compressed, although no cache may store them.
    let own = client
        .with_header("x-user", "ada")
        .get("/notes")
        .await
        .expect(200);
    assert_eq!(own.header("content-encoding"), "zstd");
}

/// CMP-1: HEAD has the headers of GET, and a 304 those that caches need.
#[tokio::test]
async fn head_and_not_modified_have_the_headers_of_get() {
    let app = notes(3).await;
    let client = accepting(&app, "br");
    let get = client.get("/notes/1").await.expect(200);
    let head = client.head("/notes/1").await.expect(200);
    for name in ["content-encoding", "content-length", "vary", "etag"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    assert!(head.body.is_empty());
    let unchanged = client
        .with_header("if-none-match", get.header("etag"))
        .get("/notes/1")
        .await;
    let unchanged = unchanged.expect(304);
    assert_eq!(unchanged.header("content-encoding"), "");
    assert_eq!(unchanged.header("vary"), get.header("vary"));
    let put = serde_json::json!({"title": "changed", "text": ""});
    let put = Some(("application/json", put.to_string().into()));
    let client = client.with_header("if-match", get.header("etag"));
    client.send(Method::PUT, "/notes/1", put).await.expect(200);
}

async fn ask(app: &TestApp) -> RawConnection {
    let mut slow = RawConnection::connect_narrow(app.address).await;
    slow.send(
        "GET /notes HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\nAccept-Encoding: gzip\r\n\r\n",
    )
    .await
    .unwrap();
    slow
}

/// Note with a text of random characters.
fn incompressible_note(number: u64) -> Value {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let text: String = (0..6000)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(b'!' + (state >> 40) as u8 % 90)
        })
        .collect();
    json!({"title": "random", "text": text})
}

/// CMP-4: slow readers of compressed responses use a bounded part of the memory; further responses are not compressed.
#[tokio::test(flavor = "multi_thread")]
async fn slow_readers_of_compressed_responses_use_bounded_memory() {
    let app = notes_within(4 * 1024 * 1024, 0).await;
    // Longer than the buffers of the sockets, also when it is compressed.
    for first in 0..100 {
        let notes: Vec<Value> = (first * 20..first * 20 + 20).map(incompressible_note).collect();
        app.post("/notes", json!(notes)).await.expect(201);
    }
    let client = app.with_header("accept", "application/x-ndjson");
    let plain = client.get("/notes").await.expect(200);
    let mut slow = Vec::new();
    for _ in 0..8 {
        slow.push(ask(&app).await);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut codings = Vec::new();
    for reader in &mut slow {
        codings.push(
            reader
                .read_head()
                .await
                .to_lowercase()
                .contains("content-encoding: gzip"),
        );
    }
    // A quarter of 4 MiB has room for two encoders.
    assert_eq!(
        codings.iter().filter(|is_compressed| **is_compressed).count(),
        2,
        "{codings:?}"
    );
    let response = accepting(&client, "gzip").get("/notes").await.expect(200);
    assert_eq!(response.header("content-encoding"), "");
    assert!(response.body == plain.body);
    drop(slow);
    let compressed = async || {
        accepting(&client, "gzip")
            .get("/notes")
            .await
            .header("content-encoding")
            == "gzip"
    };
    for _ in 0..100 {
        if compressed().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("encoders of clients that are gone are not freed");
}
