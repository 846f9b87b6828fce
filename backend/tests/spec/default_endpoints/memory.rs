//! Memory use of lists.

use serde::Deserialize;
use serde_json::json;
use test_support::{Response, TestDatabase};

use crate::serve;

/// Rows of the short list. More than the page caches of all connections hold, so that these are full in either case.
const FEW: usize = 40_000;
const MANY: usize = 140_000;

/// Maximum KiB that the longer list may use beyond the shorter one. Its response is longer by ten times that.
const ALLOWED: u64 = 6 * 1024;

/// Measurements after one that exceeds it, of which the least counts: the peak also depends on how the threads of the
/// program and of its client take turns, while a list that is kept in memory exceeds it each time.
const MORE_MEASUREMENTS: usize = 2;

#[derive(Deserialize)]
struct Article {
    id: usize,
    body: String,
}

/// Copies the first article until the table has this number of rows.
fn fill(database: &TestDatabase, rows: usize) {
    database.execute(&format!(
        "WITH RECURSIVE copies (number) AS
                 (SELECT 2 UNION ALL SELECT number + 1 FROM copies WHERE number < {rows})
             INSERT INTO articles (title, slug, body, published, created_at, updated_at)
             SELECT title, slug, body, published, created_at, updated_at FROM copies, articles
             WHERE articles.id = 1"
    ));
}

/// Requests a list with this number of rows. Returns the response and the peak memory of the program in KiB.
async fn list(rows: usize) -> (Response, u64) {
    let database = TestDatabase::create();
    {
        let first = serve::start(&database);
        let body = json!({"title": "Article", "body": "x".repeat(400), "published": true});
        serve::admin(&first, &database.url())
            .await
            .post("/api/v1/articles", body)
            .await
            .expect(201);
    }
    fill(&database, rows);
    let process = serve::start(&database);
    let response = process.client.get("/api/v1/articles").await.expect(200);
    (response, process.peak_memory())
}

/// END-3: a list of 140,000 rows needs no more memory than one of 40,000, and both are complete.
#[tokio::test]
async fn the_memory_of_a_list_does_not_grow_with_its_rows() {
    let (short, little) = list(FEW).await;
    let (long, mut much) = list(MANY).await;
    for _ in 0..MORE_MEASUREMENTS {
        if much < little + ALLOWED {
            break;
        }
        much = much.min(list(MANY).await.1);
    }
    let longer = (long.body.len() - short.body.len()) as u64 / 1024;
    assert!(longer > 10 * ALLOWED, "{longer} KiB");
    assert!(
        much < little + ALLOWED,
        "{FEW} rows took {little} KiB, {MANY} took {much} KiB"
    );
    for (response, rows) in [(short, FEW), (long, MANY)] {
        assert_eq!(response.header("transfer-encoding"), "chunked");
        assert_eq!(response.header("content-length"), "");
        let articles: Vec<Article> = serde_json::from_slice(&response.body).unwrap();
        assert_eq!(articles.len(), rows);
        for (position, article) in articles.iter().enumerate() {
            assert_eq!((article.id, article.body.len()), (position + 1, 400));
        }
    }
}
