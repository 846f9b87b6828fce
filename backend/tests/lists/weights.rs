//! Rows that are many times as large as what asks for them.

use serde_json::json;

use crate::shelf::ids;
use crate::support::{TestApp, execute};

/// A number of rows, each `values` of its number `n`.
fn insert(app: &TestApp, table: &str, columns: &str, values: &str, count: usize) {
    let numbers = if app.database().is_postgres() {
        format!("SELECT {values} FROM generate_series(1, {count}) AS numbers(n)")
    } else {
        format!(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) \
             SELECT {values} FROM numbers"
        )
    };
    execute(
        &app.database(),
        &format!("INSERT INTO {table} ({columns}) {numbers}"),
    );
}

/// A category and so many articles in it, each with a body of so many letters.
async fn category_of(articles: usize, letters: usize) -> TestApp {
    let app = TestApp::start().await;
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

fn add_comments(app: &TestApp, count: usize) {
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

async fn refuses(app: &TestApp, url: &str, told: &str) {
    let refused = app.get(&format!("/api/v1{url}")).await.expect(400).text();
    assert!(refused.contains(told), "{url}: {refused}");
}

/// LST-11: an object counts as often as it is written.
#[tokio::test]
async fn relations_that_multiply_each_other_are_rejected() {
    let app = category_of(150, 10).await;
    let told = "too many objects of Article to expand";
    refuses(&app, "/categories/1?expand=articles.category.articles", told).await;
    refuses(&app, "/articles?expand=category.articles&limit=100", told).await;
    refuses(&app, "/articles?expand=category.articles", told).await;
    for url in [
        "/categories/1?expand=articles.category",
        "/articles?expand=category.articles&limit=60",
    ] {
        app.get(&format!("/api/v1{url}")).await.expect(200);
    }
}

/// LST-11: the bytes count as often, and before all rows are there.
#[tokio::test]
async fn relations_to_large_rows_are_rejected() {
    let app = category_of(40, 1_000_000).await;
    add_comments(&app, 40);
    let told = "too many objects of Article to expand";
    refuses(&app, "/articles/1/comments?expand=article&limit=40", told).await;
    refuses(&app, "/articles/1/comments?expand=article", told).await;
    refuses(&app, "/categories/1?expand=articles", told).await;
    let some = app
        .get("/api/v1/articles/1/comments?expand=article&limit=10")
        .await
        .expect(200);
    assert!(some.body.len() > 10_000_000);
}

/// LST-11: a page is held as a whole, so it is not longer than can be held; in pieces everything can be had.
#[tokio::test]
async fn a_page_of_large_rows_is_rejected() {
    let app = category_of(40, 1_000_000).await;
    add_comments(&app, 3);
    let told = "ask for fewer rows at once, or for fewer fields";
    refuses(&app, "/articles?limit=1000", told).await;
    refuses(&app, "/articles?pageSize=40&page=1", told).await;
    refuses(&app, "/articles?limit=1000&format=ndjson", told).await;
    refuses(&app, "/articles?limit=1000&expand=comments", told).await;
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
    // Backwards the rows themselves are held before the first is written.
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
    let told_of_all = app
        .get(&last.replace("limit=30", "limit=100"))
        .await
        .expect(400)
        .text();
    assert!(told_of_all.contains(told), "{told_of_all}");
}

/// LST-8: a page whose neighbours would have URLs that are too long is rejected, and the same by number is not.
#[tokio::test]
async fn a_cursor_that_would_be_rejected_is_not_given() {
    for (letters, is_refused) in [(1000, false), (7000, true), (100_000, true)] {
        let app = category_of(3, letters).await;
        let first = app.get("/api/v1/articles?sort=body&cursor=&limit=1").await;
        if is_refused {
            let told = first.expect(400).text();
            assert!(told.contains("no cursor for the next page"), "{told}");
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
