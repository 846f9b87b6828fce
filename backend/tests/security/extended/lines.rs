//! Nested writes.

use serde_json::{Value, json};

use super::{AUTHORS, NOBODY, extended_blog};
use crate::sample_blog::{ARTICLES, ids};

/// SEC-27, SEC-28: no article of another user is changed, moved, deleted or found below a user's own account.
#[tokio::test]
async fn articles_of_others_are_missing_below_an_account() {
    let blog = extended_blog().await;
    let before = blog.rows();
    let own = format!("{AUTHORS}/{}", blog.bob_id);
    let mut answers: Vec<Vec<(u16, String)>> = Vec::new();
    // A draft and an article of Ann, one without an author, and a missing one.
    for id in [1, 2, 4, NOBODY] {
        let mut of_one = Vec::new();
        for articles in [
            json!({"update": [{"id": id, "title": "Stolen"}]}),
            json!({"update": [{"id": id}]}),
            json!({"remove": [id]}),
            json!([{"id": id, "title": "Stolen", "body": "x"}]),
        ] {
            let answer = blog
                .bob
                .patch(&own, json!({"articles": articles}))
                .await
                .expect(400);
            of_one.push((400, answer.text().replace(&id.to_string(), "ID")));
        }
        answers.push(of_one);
    }
    for each in &answers {
        assert_eq!(each, &answers[3]);
    }
    assert_eq!(blog.rows(), before);
}

/// SEC-28: an article below an account belongs to that account, and only its user writes there.
#[tokio::test]
async fn nested_articles_belong_to_their_parent() {
    let blog = extended_blog().await;
    let before = blog.rows();
    let add =
        |author: Value| json!({"articles": {"add": [{"title": "New", "body": "x", "authorId": author}]}});
    let of_ann = format!("{AUTHORS}/{}", blog.ann_id);
    for (client, status) in [
        (&blog.app.anonymous, 401),
        (&blog.bob, 403),
        (&blog.app.client, 403),
    ] {
        let articles = json!({"articles": {"add": [{"title": "New", "body": "x"}]}});
        client.patch(&of_ann, articles).await.expect(status);
        client
            .patch(&of_ann, json!({"articles": []}))
            .await
            .expect(status);
        let whole = json!({"username": "ann", "articles": []});
        client.put(&of_ann, whole).await.expect(status);
    }
    let own = format!("{AUTHORS}/{}", blog.bob_id);
    for author in [json!(blog.ann_id), json!(null)] {
        let answer = blog.bob.patch(&own, add(author)).await;
        assert!([200, 400].contains(&answer.status.as_u16()), "{}", answer.text());
    }
    let all = blog.app.get("/api/v1/articles").await.expect(200).json();
    for article in all
        .as_array()
        .unwrap()
        .iter()
        .filter(|article| article["title"] == "New")
    {
        assert_eq!(article["authorId"], blog.bob_id);
    }
    let old: Vec<String> = before
        .into_iter()
        .filter(|row| !blog.rows().contains(row))
        .collect();
    assert!(old.is_empty(), "changed: {old:?}");
}

/// SEC-27: a list replaces the articles that the caller sees, and its reply has no others.
#[tokio::test]
async fn a_replacement_leaves_the_articles_of_others_alone() {
    let blog = extended_blog().await;
    let own = format!("{AUTHORS}/{}?expand=articles", blog.bob_id);
    let replaced = blog
        .bob
        .patch(&own, json!({"articles": [{"title": "Only", "body": "x"}]}))
        .await
        .expect(200)
        .json();
    assert_eq!(ids(&replaced["articles"]), [5]);
    let left = blog.app.get("/api/v1/articles").await.expect(200).json();
    assert_eq!(ids(&left), [1, 2, 4, 5]);
}

/// SEC-29: comments are nested under the policies of comments: readers add them, authors delete them, only admins edit.
#[tokio::test]
async fn nested_comments_obey_the_policy_of_comments() {
    let blog = extended_blog().await;
    let url = format!("{ARTICLES}/2");
    let before = blog.rows();
    for (client, status) in [(&blog.app.anonymous, 401), (&blog.bob, 403)] {
        for comments in [
            json!({"add": [{"name": "Eve", "body": "x"}]}),
            json!({"remove": [2]}),
            json!([]),
        ] {
            client
                .patch(&url, json!({"comments": comments}))
                .await
                .expect(status);
        }
    }
    let edited = json!({"comments": {"update": [{"id": 2, "body": "Forged"}]}});
    blog.ann.patch(&url, edited.clone()).await.expect(403);
    // Those of another article are missing, also for its author and for admins.
    for client in [&blog.ann, &blog.app.client] {
        let moved = json!({"comments": {"update": [{"id": 1, "body": "Moved"}]}});
        client.patch(&url, moved).await.expect(400);
        client
            .patch(&url, json!({"comments": {"remove": [1]}}))
            .await
            .expect(400);
    }
    assert_eq!(blog.rows(), before);
    blog.app.patch(&url, edited).await.expect(200);
    blog.ann
        .patch(&url, json!({"comments": {"remove": [2]}}))
        .await
        .expect(200);
}

/// SEC-45: a nested write grants no role and reveals no private column.
#[tokio::test]
async fn a_nested_write_reaches_no_other_column_of_an_account() {
    let blog = extended_blog().await;
    let before = blog.rows();
    let own = format!("{AUTHORS}/{}", blog.bob_id);
    for member in ["roles", "email", "passwordHash", "password_hash", "isActive"] {
        blog.bob.patch(&own, json!({member: "admin"})).await.expect(400);
        let nested = json!({"articles": {"update": [{"id": 3, "author": {member: "admin"}}]}});
        blog.bob.patch(&own, nested).await.expect(400);
    }
    assert_eq!(blog.rows(), before);
    let shown = blog
        .bob
        .get(&format!("{ARTICLES}/2?expand=author"))
        .await
        .expect(200)
        .json();
    assert_eq!(shown["author"], json!({"id": blog.ann_id, "username": "ann"}));
}
