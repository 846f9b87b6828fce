//! How much memory a list takes.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Process, Response};

/// What the longer list may take beyond the shorter one, in KiB; its body is about forty times as much.
const ALLOWED: u64 = 12 * 1024;

/// Writes so many articles, each with a body of 400 characters, in one transaction.
fn fill(database: &Path, rows: usize) {
    let mut connection = rusqlite::Connection::open(database).unwrap();
    let transaction = connection.transaction().unwrap();
    let sql = "INSERT INTO articles (title, slug, body, published, created_at, updated_at)
               SELECT 'Article', 'article', ?1, 1, created_at, updated_at FROM articles WHERE id = 1";
    let mut insert = transaction.prepare(sql).unwrap();
    for _ in 1..rows {
        insert.execute(["x".repeat(400)]).unwrap();
    }
    drop(insert);
    transaction.commit().unwrap();
}

/// The answer to a list of so many rows, and the most memory that the program needed for it, in KiB.
async fn list(rows: usize) -> (Response, u64) {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("list.db");
    {
        let first = Process::start(&database);
        let body = serde_json::json!({"title": "Article", "body": "first"});
        first.client.post("/api/v1/articles", body).await.expect(201);
    }
    fill(&database, rows);
    let process = Process::start(&database);
    let response = process.client.get("/api/v1/articles").await.expect(200);
    (response, process.peak_memory())
}

/// END-3: a list of a hundred thousand rows needs no more memory than one of ten thousand, and arrives whole.
#[tokio::test]
async fn the_memory_of_a_list_does_not_grow_with_its_rows() {
    let (short, little) = list(10_000).await;
    let (long, much) = list(100_000).await;
    assert!(long.body.len() > 50_000_000, "{}", long.body.len());
    assert!(
        much < little + ALLOWED,
        "{} rows took {little} KiB, ten times as many took {much} KiB",
        10_000
    );
    for (response, rows) in [(short, 10_000), (long, 100_000)] {
        assert_eq!(response.header("transfer-encoding"), "chunked");
        assert_eq!(response.header("content-length"), "");
        let Value::Array(articles) = response.json() else {
            panic!("not an array")
        };
        assert_eq!(articles.len(), rows);
        for (position, article) in articles.iter().enumerate() {
            assert_eq!(article["id"], position + 1);
        }
        assert_eq!(articles[rows - 1]["body"], "x".repeat(400));
    }
}
