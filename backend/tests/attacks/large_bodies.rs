//! Bodies that try to exhaust the server.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Method;
use serde_json::json;
use test_support::{RawConnection, TestDatabase};

use crate::serve;

/// Such bodies are rejected quickly, without a growth of memory.
#[tokio::test]
async fn a_hundred_thousand_nested_arrays_or_a_million_keys_are_rejected_fast() {
    let database = TestDatabase::create();
    let process = serve::start(&database);
    let admin = serve::admin(&process, &database.url()).await;
    let nested = format!("{{\"name\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let million: Vec<String> = (0..1_000_000).map(|number| format!("\"{number}\":1")).collect();
    let many: Vec<String> = (0..150_000).map(|number| format!("\"{number}\":1")).collect();
    let repeated = "\"name\":\"x\",".repeat(150_000);
    let started = Instant::now();
    for (body, expected) in [
        (nested, &[400][..]),
        (format!("{{{}}}", many.join(",")), &[400]),
        (format!("{{{repeated}\"x\":1}}"), &[400]),
        (format!("{{{}}}", million.join(",")), &[413]),
    ] {
        for url in ["/api/v1/categories", "/api/v1/tags", "/api/v1/auth/login"] {
            let answer = admin
                .send(
                    Method::POST,
                    url,
                    Some(("application/json", Bytes::from(body.clone()))),
                )
                .await;
            assert!(
                expected.contains(&answer.status.as_u16()),
                "{url}: {}",
                answer.text()
            );
            assert!(answer.body.len() < 64 * 1024, "the answer is small");
        }
    }
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    let peak = process.peak_memory();
    assert!(peak < 150 * 1024, "{peak} KiB");
    let count: i64 = database.value("SELECT count(*) FROM categories");
    assert_eq!(count, 0);
}

/// A body over the limit is a 413, with and without a length, and does not use memory.
#[tokio::test]
async fn a_body_over_the_limit_by_length_or_by_chunks_is_a_413_and_memory_is_bounded() {
    let database = TestDatabase::create();
    let process = serve::start(&database);
    process.client.get("/api/v1/categories").await.expect(200);
    let head = format!(
        "POST /api/v1/categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{}",
        serve::admin(&process, &database.url()).await.header_lines()
    );
    for framing in ["Content-Length: 100000000", "Transfer-Encoding: chunked"] {
        let mut clients = Vec::new();
        for _ in 0..8 {
            let address = process.address;
            let start = format!("{head}{framing}\r\n\r\n");
            let chunk = if framing.contains("chunked") {
                format!("10000\r\n{}\r\n", " ".repeat(0x10000))
            } else {
                " ".repeat(0x10000)
            };
            clients.push(tokio::spawn(async move {
                let mut raw = RawConnection::connect(address).await;
                raw.send(start).await.unwrap();
                for _ in 0..33 {
                    if raw.send(&chunk).await.is_err() {
                        break;
                    }
                }
                raw.read_head().await
            }));
        }
        for client in clients {
            let answer = client.await.unwrap();
            assert!(answer.starts_with("HTTP/1.1 413 "), "{framing}: {answer:?}");
        }
    }
    let peak = process.peak_memory();
    assert!(peak < 150 * 1024, "{peak} KiB");
    process
        .client
        .get("/api/v1/categories")
        .await
        .expect_json(200, json!([]));
}
