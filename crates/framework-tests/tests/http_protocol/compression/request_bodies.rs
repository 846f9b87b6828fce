//! Compressed request bodies.

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};
use test_support::{Client, Response};

use super::{encoded, long_text, notes};

const CODINGS: [&str; 3] = ["gzip", "br", "zstd"];

async fn post(client: &Client, path: &str, coding: &str, media: &str, body: Bytes) -> Response {
    let client = client.with_header("content-encoding", coding);
    client.send(Method::POST, path, Some((media, body))).await
}

const JSON: &str = "application/json";

/// CMP-5: compressed bodies are decoded for automatic operations, imports, handlers and extractors.
#[tokio::test]
async fn compressed_bodies_are_decoded() {
    let app = notes(0).await;
    for coding in CODINGS {
        let note = json!({"title": coding, "text": long_text()});
        let body = encoded(coding, note.to_string().as_bytes());
        let created = post(&app, "/notes", coding, JSON, body).await.expect(201).json();
        assert_eq!(created["text"], note["text"]);
        let csv: String = (0..50)
            .map(|number| format!("row {number},{}\n", "text ".repeat(100)))
            .collect();
        let body = encoded(coding, format!("title,text\n{csv}").as_bytes());
        let imported = post(&app, "/notes", coding, "text/csv", body)
            .await
            .expect(201)
            .json();
        assert_eq!(imported.as_array().map(Vec::len), Some(50));
        let text = long_text().repeat(20);
        for path in ["/raw", "/extracted"] {
            let body = encoded(coding, text.as_bytes());
            let echoed = post(&app, path, coding, "text/plain", body)
                .await
                .expect(200)
                .json();
            assert!(echoed == json!(text), "{path}");
        }
    }
    let all = app.get("/notes?limit=200").await.expect(200).json();
    assert_eq!(all.as_array().map(Vec::len), Some(153));
}

/// CMP-5: a key is for the content of a request, however it was compressed.
#[tokio::test]
async fn a_repetition_with_a_key_may_be_compressed_again() {
    let app = notes(0).await;
    let client = app.with_header("idempotency-key", "one");
    let note = json!({"title": "one"}).to_string();
    let first = post(&client, "/notes", "gzip", JSON, encoded("gzip", note.as_bytes()))
        .await
        .expect(201);
    for coding in ["br", "zstd", "gzip"] {
        let again = post(&client, "/notes", coding, JSON, encoded(coding, note.as_bytes())).await;
        let again = again.expect(201);
        assert_eq!(again.header("idempotency-replayed"), "true");
        assert_eq!(again.body, first.body);
    }
    let uncompressed = Some((JSON, Bytes::from(note)));
    let again = client
        .send(Method::POST, "/notes", uncompressed)
        .await
        .expect(201);
    assert_eq!(again.body, first.body);
    assert_eq!(app.get("/notes").await.json().as_array().map(Vec::len), Some(1));
}

/// CMP-6: the limit of bodies is that after decompression; a small body cannot become a large one.
#[tokio::test(flavor = "multi_thread")]
async fn the_limit_applies_after_decompression() {
    let app = notes(0).await;
    for coding in CODINGS {
        let bomb = encoded(coding, &vec![b' '; 64 * 1024 * 1024]);
        assert!(bomb.len() < 256 * 1024);
        for path in ["/notes", "/raw", "/extracted"] {
            post(&app, path, coding, JSON, bomb.clone()).await.expect(413);
        }
        let fitting = format!("{}{{\"title\": \"padded\"}}", " ".repeat(255 * 1024));
        post(&app, "/notes", coding, JSON, encoded(coding, fitting.as_bytes()))
            .await
            .expect(201);
    }
}

/// CMP-6: bodies that are not in their coding are rejected, and nothing is written.
#[tokio::test]
async fn malformed_bodies_are_rejected() {
    let app = notes(0).await;
    let note = json!({"title": "cut", "text": long_text()}).to_string();
    for coding in CODINGS {
        let whole = encoded(coding, note.as_bytes());
        for body in [
            Bytes::from_static(b"not compressed at all"),
            whole.slice(..whole.len() / 2),
            whole.slice(..whole.len() - 1),
        ] {
            for path in ["/notes", "/raw", "/extracted"] {
                let response = post(&app, path, coding, JSON, body.clone()).await.expect(400);
                let expected = format!("The request body is not valid {coding}.");
                assert_eq!(response.json()["message"], expected, "{path}");
            }
        }
    }
    assert_eq!(app.get("/notes").await.json(), json!([]));
}

/// CMP-6: a body without an output, and a window that only a dialect of Brotli has, cost no memory.
#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_decode_to_nothing_are_empty() {
    let app = notes(0).await;
    let members = Bytes::from(encoded("gzip", b"").repeat(5_000));
    let empty = post(&app, "/raw", "gzip", "text/plain", members)
        .await
        .expect(200);
    assert_eq!(empty.json(), json!(""));
    let large_window = Bytes::from_static(&[0x11, 0x1e, 0x00, 0x00]);
    post(&app, "/raw", "br", "text/plain", large_window)
        .await
        .expect(400);
}

/// CMP-6: other codings are rejected with the accepted ones.
#[tokio::test]
async fn other_codings_are_unsupported() {
    let app = notes(0).await;
    let note = Bytes::from(json!({"title": "x"}).to_string());
    for coding in [
        "deflate",
        "compress",
        "gzip, gzip",
        "identity, br",
        "gzip;q=1",
        "",
    ] {
        for path in ["/notes", "/raw", "/extracted"] {
            let response = post(&app, path, coding, JSON, note.clone()).await.expect(415);
            assert_eq!(response.header("accept-encoding"), "zstd, br, gzip", "{coding:?}");
        }
    }
    let twice = app.with_header("content-encoding", "gzip");
    post(&twice, "/notes", "gzip", JSON, note.clone())
        .await
        .expect(415);
    let created: Value = post(&app, "/notes", "identity", JSON, note)
        .await
        .expect(201)
        .json();
    assert_eq!(created["title"], "x");
}
