//! Writes to the objects that filters select.

use serde_json::json;
use test_support::Client;

use super::{NOBODY, extended_blog};
use crate::sample_blog::ARTICLES;

fn limited(client: &Client) -> Client {
    client.with_header("prefer", "max-affected=10")
}

/// SEC-27: filters of a write select no draft of another user, and the answer is that of filters without a match.
#[tokio::test]
async fn filters_select_no_drafts_of_others() {
    let blog = extended_blog().await;
    let before = blog.rows();
    for client in [&blog.app.anonymous, &blog.bob] {
        let client = limited(client);
        let mut answers = Vec::new();
        for id in [1, 4, NOBODY] {
            let url = format!("{ARTICLES}?id[gte]={id}&id[lte]={id}");
            for body in [
                json!({"title": "Stolen"}),
                json!({"authorId": blog.bob_id}),
                json!({}),
            ] {
                let answer = client.patch(&url, body).await;
                answers.push((answer.status, answer.text().replace(&id.to_string(), "ID")));
            }
            let answer = client.delete(&url).await;
            answers.push((answer.status, answer.text().replace(&id.to_string(), "ID")));
        }
        assert_eq!(answers[..4], answers[8..]);
        assert_eq!(answers[4..8], answers[8..]);
        for filter in [
            "title=Ann's%20draft",
            "tags[has]=2&published=false",
            "comments.id=1",
        ] {
            let none = client.delete(&format!("{ARTICLES}?{filter}")).await;
            assert_eq!(none.status, answers[3].0, "{filter}");
        }
    }
    assert_eq!(blog.rows(), before);
}

/// SEC-28: one selected article of another user denies the whole write.
#[tokio::test]
async fn an_article_of_another_user_denies_the_whole_write() {
    let blog = extended_blog().await;
    let before = blog.rows();
    for (client, status) in [(&blog.app.anonymous, 401), (&blog.bob, 403)] {
        let client = limited(client);
        for filter in ["id[gte]=1", "title[contains]=s", "published=true"] {
            let url = format!("{ARTICLES}?{filter}");
            client
                .patch(&url, json!({"title": "Stolen"}))
                .await
                .expect(status);
            client
                .patch(&url, json!({"authorId": blog.bob_id}))
                .await
                .expect(status);
            client.delete(&url).await.expect(status);
        }
    }
    assert_eq!(blog.rows(), before);
    let bob = limited(&blog.bob);
    let patched = bob
        .patch(&format!("{ARTICLES}?published=false"), json!({"title": "Mine"}))
        .await
        .expect(200);
    assert_eq!(patched.json().as_array().unwrap().len(), 1);
    // The author of an own article cannot be given away.
    let own = bob
        .patch(
            &format!("{ARTICLES}?title=Mine"),
            json!({"authorId": blog.ann_id}),
        )
        .await;
    assert_eq!(own.expect(200).json()[0]["authorId"], blog.bob_id);
    bob.delete(&format!("{ARTICLES}?title=Mine")).await.expect(204);
    blog.app.get(&format!("{ARTICLES}/1")).await.expect(200);
}
