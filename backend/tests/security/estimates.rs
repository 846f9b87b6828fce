//! Estimated counts: the database's statistics cover all rows, including invisible ones.

use serde_json::{Value, json};
use test_support::Client;

use crate::sample_blog::{ARTICLES, CATEGORIES, blog};

async fn estimated(client: &Client, path: &str, filter: &str) -> String {
    let url = format!("{path}?{filter}&limit=1&count=estimated");
    client
        .get(&url)
        .await
        .expect(200)
        .header("x-total-count")
        .to_owned()
}

/// SEC-27: `count=estimated` does not reveal thirty drafts of another user whose title and text the planner knows.
#[tokio::test]
async fn an_estimated_count_does_not_reveal_drafts_of_others() {
    let blog = blog().await;
    let draft = json!({"title": "Merger", "body": "We buy them.", "rating": 5, "categoryId": 1});
    let drafts = Value::from(vec![draft; 30]);
    blog.ann.post(ARTICLES, drafts).await.expect(201);
    blog.app.database().execute("ANALYZE");
    for client in [&blog.app.anonymous, &blog.bob] {
        for filter in [
            "title=Merger",
            "title[startswith]=Mer",
            "body[contains]=buy",
            "q=merger",
            "rating=5",
            "or=(title=Merger,title=Acquisition)",
            "comments.article.title=Merger",
        ] {
            assert_eq!(estimated(client, ARTICLES, filter).await, "0", "{filter}");
        }
        for filter in ["articles.title=Merger", "not=(not(articles.rating=5))"] {
            assert_eq!(estimated(client, CATEGORIES, filter).await, "0", "{filter}");
        }
    }
    let all = estimated(&blog.app.anonymous, ARTICLES, "id[gt]=0").await;
    assert_eq!(all, "1");
    let found = estimated(&blog.ann, ARTICLES, "title=Merger").await;
    assert_eq!(found, "30");
}
