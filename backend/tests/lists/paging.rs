//! Pagination.

use serde_json::{Value, json};

use crate::sample_articles::{app_with_articles, ids, link};
use crate::support::BackendApp;

/// Returns the ids of all pages from a URL on, following the links of this relation.
async fn walk(app: &BackendApp, url: &str, relation: &str) -> Vec<Vec<i64>> {
    let (mut pages, mut next) = (Vec::new(), Some(url.to_owned()));
    while let Some(url) = next {
        let response = app.get(&url).await.expect(200);
        pages.push(ids(&response.json()));
        next = link(&response, relation);
        assert!(pages.len() < 20, "the pages are cyclic");
    }
    pages
}

/// LST-8: numbered pages report the number of rows.
#[tokio::test]
async fn numbered_pages_report_the_number_of_rows() {
    let app = app_with_articles().await;
    let second = app
        .get("/api/v1/articles?page=2&pageSize=2&sort=title&q=about")
        .await
        .expect(200);
    assert_eq!(ids(&second.json()), [2, 4]);
    assert_eq!(second.header("x-total-count"), "5");
    assert_eq!(second.header("content-range"), "items 2-3/5");
    for (relation, page) in [("first", 1), ("prev", 1), ("next", 3), ("last", 3)] {
        let expected = format!("/api/v1/articles?sort=title&q=about&page={page}&pageSize=2");
        assert_eq!(link(&second, relation).as_deref(), Some(expected.as_str()));
    }
    let uncounted = app
        .get("/api/v1/articles?page=2&pageSize=2&count=none")
        .await
        .expect(200);
    assert_eq!(
        (uncounted.header("x-total-count"), link(&uncounted, "last")),
        ("", None)
    );
    let beyond = app.get("/api/v1/articles?page=9&pageSize=2").await.expect(200);
    assert_eq!(
        (beyond.text().as_str(), beyond.header("content-range")),
        ("[]", "items */5")
    );
    let filtered = app
        .get("/api/v1/articles?page=1&published=true")
        .await
        .expect(200);
    assert_eq!(filtered.header("x-total-count"), "3");
    assert_eq!(
        walk(&app, "/api/v1/articles?pageSize=2", "next").await,
        [vec![1, 2], vec![3, 4], vec![5]]
    );
}

#[tokio::test]
async fn limit_and_offset_count_rows_only_on_request() {
    let app = app_with_articles().await;
    let page = app.get("/api/v1/articles?limit=2&offset=1").await.expect(200);
    assert_eq!(
        (ids(&page.json()), page.header("x-total-count")),
        (vec![2, 3], "")
    );
    assert_eq!(
        link(&page, "prev").as_deref(),
        Some("/api/v1/articles?limit=2&offset=0")
    );
    for count in ["exact", "estimated"] {
        let page = app
            .get(&format!("/api/v1/articles?limit=2&offset=4&count={count}"))
            .await
            .expect(200);
        assert_eq!(ids(&page.json()), [5]);
        assert!(!page.header("x-total-count").is_empty(), "{count}");
        assert_eq!(link(&page, "next"), None);
    }
    assert_eq!(
        walk(&app, "/api/v1/articles?limit=3", "next").await,
        [vec![1, 2, 3], vec![4, 5]]
    );
}

/// Follows the links back from the last page, and from each page forwards again to the end.
async fn turn_round(app: &BackendApp, last: &str, whole: &[i64]) {
    let (mut left, mut url) = (whole.len(), Some(last.to_owned()));
    while let Some(page) = url {
        let response = app.get(&page).await.expect(200);
        let after = &whole[left..];
        match link(&response, "next") {
            Some(next) => assert_eq!(walk(app, &next, "next").await.concat(), after, "{page}"),
            None => assert!(after.is_empty(), "{page}"),
        }
        left -= ids(&response.json()).len();
        url = link(&response, "prev");
    }
    assert_eq!(left, 0);
}

#[tokio::test]
async fn cursors_go_forwards_and_backwards_in_any_order() {
    let app = app_with_articles().await;
    for sort in [
        "id",
        "-id",
        "title",
        "-rating",
        "rating",
        "rating&nulls=first",
        "category.name,-title",
        "-published",
    ] {
        let whole = app.articles(&format!("sort={sort}")).await;
        let first = format!("/api/v1/articles?sort={sort}&cursor=&limit=2");
        assert_eq!(walk(&app, &first, "next").await.concat(), whole, "{sort}");
        let response = app.get(&first).await.expect(200);
        let last = link(&response, "last").unwrap();
        let mut backwards = walk(&app, &last, "prev").await;
        assert_eq!(backwards[0], whole[3..], "{sort}");
        backwards.reverse();
        assert_eq!(backwards.concat(), whole, "{sort}");
        assert_eq!(link(&response, "prev"), None);
        turn_round(&app, &last, &whole).await;
    }
}

/// LST-9: insertions and deletions do not disturb a cursor.
#[tokio::test]
async fn insertions_and_deletions_do_not_disturb_a_cursor() {
    let app = app_with_articles().await;
    let first = app
        .get("/api/v1/articles?sort=-id&cursor=&limit=2")
        .await
        .expect(200);
    let next = link(&first, "next").unwrap();
    app.delete("/api/v1/articles/4").await.expect(204);
    app.post("/api/v1/articles", json!({"title": "new", "body": "b"}))
        .await
        .expect(201);
    assert_eq!(ids(&app.get(&next).await.expect(200).json()), [3, 2]);
}

/// LST-9: a modified cursor is rejected.
#[tokio::test]
async fn a_modified_cursor_is_rejected() {
    let app = app_with_articles().await;
    let first = app
        .get("/api/v1/articles?sort=-id&cursor=&limit=2")
        .await
        .expect(200);
    let next = link(&first, "next").unwrap();
    let (_, cursor) = next.split_once("cursor=").unwrap();
    let cursor = cursor.split('&').next().unwrap();
    app.get(&format!("/api/v1/articles?sort=-id&cursor={cursor}"))
        .await
        .expect(200);
    for other in ["sort=id", "sort=-title", "sort=-id&nulls=last"] {
        let expected = "The parameter \"cursor\" is not valid";
        app.rejects(&format!("{other}&cursor={cursor}"), expected).await;
    }
    app.get(&format!("/api/v1/categories?sort=-id&cursor={cursor}"))
        .await
        .expect(400);
    let comments = app.get("/api/v1/articles/1/comments?cursor=&limit=1").await;
    let next = link(&comments.expect(200), "next").unwrap();
    app.get(&next).await.expect(200);
    app.get(&next.replace("articles/1", "articles/4"))
        .await
        .expect(400);
    for place in 0..cursor.len() {
        let mut changed = cursor.as_bytes().to_vec();
        changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        let response = app
            .get(&format!("/api/v1/articles?sort=-id&cursor={changed}"))
            .await;
        assert_eq!(response.status, 400, "{changed}");
    }
    for nonsense in ["x", "%00", "null", "AAAA", &"A".repeat(4000)] {
        app.get(&format!("/api/v1/articles?cursor={nonsense}"))
            .await
            .expect(400);
    }
}

/// LST-8: invalid pages are rejected.
#[tokio::test]
async fn invalid_pages_are_rejected() {
    let app = app_with_articles().await;
    let large = "1".repeat(31);
    for query in [
        "page=0",
        "page=-1",
        "page=1.5",
        "page=",
        "page=x",
        "pageSize=0",
        "limit=0",
        "limit=-1",
        "offset=-1",
        "offset=9223372036854775808",
        "limit=1&page=1",
        "offset=1&cursor=",
        "pageSize=2&limit=2",
        "page=1&cursor=",
        "page=9223372036854775807&pageSize=2",
        "count=some",
        "count=exact",
        "count=estimated",
        "count=exact&count=none",
        "page=1&page=2",
    ] {
        let response = app.get(&format!("/api/v1/articles?{query}")).await;
        assert_eq!(response.status, 400, "{query}");
    }
    app.rejects(&format!("page={large}"), "Not a whole number").await;
}

/// LST-10: a page above the maximum size is truncated and reports it.
#[tokio::test]
async fn a_page_above_the_maximum_is_truncated_and_reports_it() {
    let app = app_with_articles().await;
    let sql = if app.database().is_postgres() {
        "INSERT INTO tags (name) SELECT 'tag ' || n FROM generate_series(1, 1100) AS n"
    } else {
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100) \
             INSERT INTO tags (name) SELECT 'tag ' || n FROM numbers"
    };
    app.database().execute(sql);
    let count = |list: &Value| list["tags"].as_array().unwrap().len();
    for asked in ["limit=5000", "pageSize=5000", "cursor=&limit=1001"] {
        let page = app.get(&format!("/api/v1/tags?{asked}")).await.expect(206);
        let rest = link(&page, "next").unwrap();
        assert_eq!(count(&page.json()), 1000, "{asked}");
        assert_eq!(count(&app.get(&rest).await.expect(200).json()), 100, "{asked}");
    }
    for whole in ["", "?count=none"] {
        let list = app.get(&format!("/api/v1/tags{whole}")).await.expect(200);
        assert_eq!(count(&list.json()), 1100, "{whole}");
    }
}

/// LST-8: if a query is accepted, so are the links to its pages.
#[tokio::test]
async fn the_links_of_the_longest_query_are_accepted() {
    let app = app_with_articles().await;
    let values = vec!["a longer title than that of any of them"; 200].join(",");
    let filter = |length: usize| format!("title[nin]={values:x<length$}");
    let longest = filter(8192 - "title[nin]".len()).replace(' ', "+");
    for family in ["limit=2", "cursor=&limit=2", "pageSize=2"] {
        let first = format!("/api/v1/articles?{longest}&{family}");
        assert_eq!(walk(&app, &first, "next").await.concat(), [1, 2, 3, 4, 5]);
    }
    let longer = format!("/api/v1/articles?{longest}x&limit=2");
    app.get(&longer).await.expect(414);
}
