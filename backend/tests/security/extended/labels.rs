//! Many-to-many relations.

use serde_json::{Value, json};

use super::{LABELS, NOBODY, extended_blog};
use crate::sample_blog::{ARTICLES, ids, listed};

/// SEC-27: a tag shows, counts and finds only the articles that the caller sees.
#[tokio::test]
async fn tags_reveal_no_drafts_of_others() {
    let blog = extended_blog().await;
    for (client, visible) in blog.readers() {
        let tag = client.get(&format!("{LABELS}/1?expand=articles")).await;
        assert_eq!(ids(&tag.expect(200).json()["articles"]), visible);
        assert_eq!(listed(client, &format!("{ARTICLES}?tags[has]=1")).await, visible);
        assert_eq!(
            listed(client, &format!("{ARTICLES}?tags.name=snow")).await,
            visible
        );
        for id in 1..=4 {
            let found = listed(client, &format!("{LABELS}?articles[has]={id}")).await;
            assert_eq!(!found.is_empty(), visible.contains(&id), "{id}");
            let found = listed(client, &format!("{LABELS}?articles.id={id}")).await;
            assert_eq!(!found.is_empty(), visible.contains(&id), "{id}");
        }
        let found = listed(client, &format!("{LABELS}?articles.title[contains]=draft")).await;
        let sees_a_draft = visible.iter().any(|id| [1, 3].contains(id));
        assert_eq!(!found.is_empty(), sees_a_draft);
    }
    // Bob sees two articles with the first tag and one with the second, of which Ann has another one.
    let by_number = listed(&blog.bob, &format!("{LABELS}?sort=-articles.count")).await;
    assert_eq!(by_number, [1, 2]);
    let anonymous = listed(&blog.app.anonymous, &format!("{LABELS}?sort=-articles.count,-id")).await;
    assert_eq!(anonymous, [2, 1], "both have one visible article");
}

/// SEC-27: linking a draft of another user to a tag is answered like linking a missing article.
#[tokio::test]
async fn a_draft_of_another_user_cannot_be_linked_or_unlinked() {
    let blog = extended_blog().await;
    let before = blog.rows();
    for client in [&blog.app.anonymous, &blog.bob] {
        let mut answers: Vec<(u16, String)> = Vec::new();
        for id in [1, NOBODY] {
            for body in [json!([id]), json!({"add": [id]}), json!({"remove": [id]})] {
                let answer = client
                    .patch(&format!("{LABELS}/1"), json!({"articles": body}))
                    .await;
                assert!([400, 401].contains(&answer.status.as_u16()), "{}", answer.text());
                answers.push((
                    answer.status.as_u16(),
                    answer.text().replace(&id.to_string(), "ID"),
                ));
            }
            let answer = client
                .post(LABELS, json!({"name": "new", "articles": [id]}))
                .await;
            answers.push((
                answer.status.as_u16(),
                answer.text().replace(&id.to_string(), "ID"),
            ));
        }
        let (hidden, missing) = answers.split_at(4);
        assert_eq!(hidden, missing);
    }
    assert_eq!(blog.rows(), before);
}

/// SEC-28: only its author and admins change the labels of an article, from either side.
#[tokio::test]
async fn labels_are_changed_by_the_author_of_the_article_alone() {
    let blog = extended_blog().await;
    let before = blog.rows();
    let changes = [json!([]), json!({"remove": [1]}), json!({"add": [1]})];
    for (client, status) in [(&blog.app.anonymous, 401), (&blog.bob, 403)] {
        for tags in &changes {
            let url = format!("{ARTICLES}/2");
            client.patch(&url, json!({"tags": tags})).await.expect(status);
        }
        for articles in [json!({"remove": [2]}), json!([])] {
            let body = json!({"articles": articles});
            client.patch(&format!("{LABELS}/2"), body).await.expect(status);
        }
        let tag = json!({"name": "new", "articles": [2]});
        client.post(LABELS, tag).await.expect(status);
    }
    assert_eq!(blog.rows(), before);
    let own = json!({"articles": {"remove": [3]}});
    blog.bob.patch(&format!("{LABELS}/1"), own).await.expect(200);
    let kept = blog
        .app
        .get(&format!("{ARTICLES}?fields=id,tags"))
        .await
        .expect(200)
        .json();
    let expected: Value = json!([
        {"id": 1, "tags": [1, 2]}, {"id": 2, "tags": [1, 2]}, {"id": 3, "tags": []}, {"id": 4, "tags": [1]}
    ]);
    assert_eq!(kept, expected);
}
