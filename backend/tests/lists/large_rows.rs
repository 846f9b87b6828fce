//! Rows that are many times larger than the request.

use serde_json::json;

use crate::sample_articles::ids;
use crate::support::BackendApp;

/// Inserts `count` rows with `values`, in which `n` is the row's number.
fn insert(app: &BackendApp, table: &str, columns: &str, values: &str, count: usize) {
    let numbers = if app.database().is_postgres() {
        format!("SELECT {values} FROM generate_series(1, {count}) AS numbers(n)")
    } else {
        format!(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) \
             SELECT {values} FROM numbers"
        )
    };
    app.database()
        .execute(&format!("INSERT INTO {table} ({columns}) {numbers}"));
}

/// Starts a server with a category and this number of articles, each with a body of `letters` letters.
async fn category_of(articles: usize, letters: usize) -> BackendApp {
    let app = BackendApp::start().await;
    let (now, text, no) = if app.database().is_postgres() {
        ("now()", format!("repeat('a', {letters})"), "false")
    } else {
        (
            "0",
            format!("replace(hex(zeroblob({letters} / 2)), '0', 'a')"),
            "0",
        )
    };
    app.post("/api/v1/categories", json!({"name": "One"}))
        .await
        .expect(201);
    let values = format!("'Number ' || n, 'number-' || n, {text}, 1, {no}, {now}, {now}");
    let columns = "title, slug, body, category_id, published, created_at, updated_at";
    insert(&app, "articles", columns, &values, articles);
    app
}

fn add_comments(app: &BackendApp, count: usize) {
    let now = if app.database().is_postgres() {
        "now()"
    } else {
        "0"
    };
    let values = format!("1, 'Ann', 'b', {now}");
    insert(
        app,
        "comments",
        "article_id, name, body, created_at",
        &values,
        count,
    );
}

async fn rejects(app: &BackendApp, url: &str, expected: &str) {
    let refused = app.get(&format!("/api/v1{url}")).await.expect(400).text();
    assert!(refused.contains(expected), "{url}: {refused}");
}

/// LST-11: an object counts each time it is written.
#[tokio::test]
async fn relations_that_multiply_each_other_are_rejected() {
    let app = category_of(150, 10).await;
    let expected = "too many objects of Article to expand";
    rejects(&app, "/categories/1?expand=articles.category.articles", expected).await;
    rejects(&app, "/articles?expand=category.articles&limit=100", expected).await;
    rejects(&app, "/articles?expand=category.articles", expected).await;
    for url in [
        "/categories/1?expand=articles.category",
        "/articles?expand=category.articles&limit=60",
    ] {
        app.get(&format!("/api/v1{url}")).await.expect(200);
    }
}

/// LST-11: repeated bytes count too, before all rows are read.
#[tokio::test]
async fn relations_to_large_rows_are_rejected() {
    let app = category_of(40, 1_000_000).await;
    add_comments(&app, 40);
    let expected = "too many objects of Article to expand";
    rejects(&app, "/articles/1/comments?expand=article&limit=40", expected).await;
    rejects(&app, "/articles/1/comments?expand=article", expected).await;
    rejects(&app, "/categories/1?expand=articles", expected).await;
    let some = app
        .get("/api/v1/articles/1/comments?expand=article&limit=10")
        .await
        .expect(200);
    assert!(some.body.len() > 10_000_000);
}

/// LST-11: a page is held in memory, so its size is limited; a streamed list is not.
#[tokio::test]
async fn a_page_of_large_rows_is_rejected() {
    let app = category_of(40, 1_000_000).await;
    add_comments(&app, 3);
    let expected = "ask for fewer rows at once, or for fewer fields";
    rejects(&app, "/articles?limit=1000", expected).await;
    rejects(&app, "/articles?pageSize=40&page=1", expected).await;
    rejects(&app, "/articles?limit=1000&format=ndjson", expected).await;
    rejects(&app, "/articles?limit=1000&expand=comments", expected).await;
    app.get("/api/v1/articles?limit=10").await.expect(200);

    let all: Vec<i64> = (1..=40).collect();
    for query in [
        "fields=id&limit=1000",
        "fields=id,comments.id&expand=comments&limit=1000",
        "fields=id,comments.id&expand=comments&limit=1000&sort=slug,id&id[gt]=0",
        "fields=id,comments.id&expand=comments",
    ] {
        let mut ids = app.articles(query).await;
        ids.sort_unstable();
        assert_eq!(ids, all, "{query}");
    }
    // Backwards, the rows themselves are held before the first is written.
    let page = app
        .get("/api/v1/articles?cursor=&limit=30&fields=id")
        .await
        .expect(200);
    let last = page
        .header("link")
        .split(", ")
        .find(|link| link.ends_with("rel=\"last\""))
        .unwrap();
    let last = last.trim_start_matches('<').split('>').next().unwrap();
    let ids = ids(&app.get(last).await.expect(200).json());
    assert_eq!(ids, all[10..]);
    let rejection = app
        .get(&last.replace("limit=30", "limit=100"))
        .await
        .expect(400)
        .text();
    assert!(rejection.contains(expected), "{rejection}");
}

/// LST-8: a page whose cursor links would be too long is rejected; the same page by number is not.
#[tokio::test]
async fn a_cursor_that_would_be_rejected_is_not_returned() {
    for (letters, is_refused) in [(1000, false), (7000, true), (100_000, true)] {
        let app = category_of(3, letters).await;
        let first = app.get("/api/v1/articles?sort=body&cursor=&limit=1").await;
        if is_refused {
            let text = first.expect(400).text();
            assert!(text.contains("no cursor for the next page"), "{text}");
        } else {
            let link = first.expect(200).header("link").to_owned();
            let next = link
                .split(", ")
                .find(|link| link.ends_with("rel=\"next\""))
                .unwrap();
            let next = next.trim_start_matches('<').split('>').next().unwrap();
            assert_eq!(ids(&app.get(next).await.expect(200).json()), [2]);
        }
        assert_eq!(app.articles("sort=body&pageSize=1&page=2").await, [2]);
        assert_eq!(
            app.articles("sort=body&cursor=&limit=3&fields=id").await,
            [1, 2, 3]
        );
    }
}
