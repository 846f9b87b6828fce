//! Weak tags of lists.

use http::Method;
use serde_json::json;

use super::{if_match, if_none_match, served};

/// VSN-11: a page that is in memory as a whole has a weak tag, with which an unchanged one is not sent again.
#[tokio::test]
async fn an_unchanged_page_is_not_sent_again() {
    let app = served().await;
    for name in ["a", "b", "c"] {
        app.post("/tags", json!({"name": name})).await.expect(201);
    }
    for path in [
        "/tags",
        "/tags?limit=2",
        "/tags?fields=name",
        "/counted-tags",
        "/tags?name=b",
    ] {
        let first = app.get(path).await.expect(200);
        let tag = first.header("etag");
        assert!(tag.starts_with("W/\""), "{tag}");
        assert_eq!(app.get(path).await.header("etag"), tag);
        for method in [Method::GET, Method::HEAD] {
            for known in [
                tag,
                &format!("\"other\", {tag}"),
                tag.trim_start_matches("W/"),
                "*",
            ] {
                let client = if_none_match(&app, known);
                let unchanged = client.send(method.clone(), path, None).await.expect(304);
                assert!(unchanged.body.is_empty());
                assert_eq!(unchanged.header("etag"), tag);
                assert_eq!(unchanged.header("content-type"), "");
                assert!(unchanged.header("vary").contains(first.header("vary")));
            }
        }
        if_none_match(&app, "\"other\"").get(path).await.expect(200);
    }
}

/// VSN-11: a page with other objects, another order, another member or in another format has another tag.
#[tokio::test]
async fn a_page_that_shows_something_else_has_another_tag() {
    let app = served().await;
    for name in ["a", "b"] {
        app.post("/tags", json!({"name": name})).await.expect(201);
    }
    let mut tags = Vec::new();
    for path in [
        "/tags",
        "/tags?sort=-id",
        "/tags?fields=id",
        "/tags?limit=1",
        "/tags?name=none",
    ] {
        tags.push(app.get(path).await.expect(200).header("etag").to_owned());
    }
    let csv = app
        .with_header("accept", "text/csv")
        .get("/tags")
        .await
        .expect(200);
    tags.push(csv.header("etag").to_owned());
    let first = tags[0].clone();
    for change in [json!({"name": "c"}), json!({"name": "d"})] {
        app.patch("/tags/2", change).await.expect(200);
        tags.push(app.get("/tags").await.header("etag").to_owned());
        if_none_match(&app, &first).get("/tags").await.expect(200);
    }
    app.patch("/tags/2", json!({"name": "b"})).await.expect(200);
    assert_eq!(app.get("/tags").await.header("etag"), first);
    app.delete("/tags/1").await.expect(204);
    tags.push(app.get("/tags").await.header("etag").to_owned());
    let tags: std::collections::HashSet<_> = tags.into_iter().filter(|tag| !tag.is_empty()).collect();
    assert!(tags.len() >= 8, "{tags:?}");
}

/// VSN-11: long lists have no tag, and the tag of a list is for reading alone.
#[tokio::test]
async fn long_lists_have_no_tag() {
    let app = served().await;
    for number in 0..20 {
        let tag = json!({"name": format!("{number}{}", "x".repeat(1000))});
        app.post("/tags", tag).await.expect(201);
    }
    let long = app.get("/tags?limit=20").await.expect(200);
    assert!(long.body.len() > 16 * 1024);
    assert_eq!(long.header("etag"), "");
    if_none_match(&app, "*").get("/tags?limit=20").await.expect(200);
    let short = app
        .get("/tags?limit=2")
        .await
        .expect(200)
        .header("etag")
        .to_owned();
    if_match(&app, &short)
        .patch("/tags/1", json!({"name": "y"}))
        .await
        .expect(412);
}
