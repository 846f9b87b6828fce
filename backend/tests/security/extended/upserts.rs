//! Upserts.

use serde_json::json;
use test_support::Client;

use super::{NOBODY, extended_blog};

/// Labels as objects of their own.
const ARTICLE_LABELS: &str = "/api/v1/article-labels";
/// Pins of articles, by the key of the article.
const PINS: &str = "/api/v1/pins";

fn merging(client: &Client) -> Client {
    client.with_header("prefer", "resolution=merge-duplicates")
}

/// SEC-27, SEC-28: a merge changes no label of another user's article, and one of a draft is answered like one of a
/// missing article.
#[tokio::test]
async fn a_merge_changes_and_reveals_nothing_of_others() {
    let blog = extended_blog().await;
    let before = blog.rows();
    let label = |article: i64| json!({"articleId": article, "tagId": 1, "note": "Stolen"});
    let bob = merging(&blog.bob);
    let hidden = bob.post(ARTICLE_LABELS, label(1)).await.expect(400).text();
    let missing = bob.post(ARTICLE_LABELS, label(NOBODY)).await.expect(400).text();
    assert_eq!(hidden, missing);
    bob.post(ARTICLE_LABELS, label(2)).await.expect(403);
    merging(&blog.app.anonymous)
        .post(ARTICLE_LABELS, label(2))
        .await
        .expect(401);
    assert_eq!(blog.rows(), before);
    let own = bob.post(ARTICLE_LABELS, label(3)).await.expect(200).json();
    assert_eq!((&own["articleId"], &own["note"]), (&json!(3), &json!("Stolen")));
}

/// SEC-27, SEC-28: a put creates and changes no object of another user's article.
#[tokio::test]
async fn a_put_creates_and_reveals_nothing_of_others() {
    let blog = extended_blog().await;
    let pin = json!({"note": "Mine"});
    blog.ann.put(&format!("{PINS}/1"), pin.clone()).await.expect(201);
    blog.ann.put(&format!("{PINS}/2"), pin.clone()).await.expect(201);
    let before = blog.rows();
    // Of an article with a pin that Bob sees, and of an orphan without one.
    blog.bob.put(&format!("{PINS}/2"), pin.clone()).await.expect(403);
    for key in [1, 4, NOBODY] {
        let refused = blog.bob.put(&format!("{PINS}/{key}"), pin.clone()).await;
        assert!(
            (400..500).contains(&refused.status.as_u16()),
            "{}",
            refused.text()
        );
        blog.bob.get(&format!("{PINS}/{key}")).await.expect(404);
    }
    let orphan = blog.bob.put(&format!("{PINS}/4"), pin.clone()).await;
    let missing = blog.bob.put(&format!("{PINS}/{NOBODY}"), pin.clone()).await;
    assert_eq!(orphan.status, missing.status);
    assert_eq!(orphan.text(), missing.text());
    for key in [1, 2, 3] {
        let refused = blog
            .app
            .anonymous
            .put(&format!("{PINS}/{key}"), pin.clone())
            .await;
        refused.expect(401);
    }
    assert_eq!(blog.rows(), before);
    blog.bob.put(&format!("{PINS}/3"), pin.clone()).await.expect(201);
    blog.bob.put(&format!("{PINS}/3"), pin).await.expect(200);
}
