//! Aggregates.

use serde_json::{Value, json};

use super::{AUTHORS, extended_blog};
use crate::sample_blog::ARTICLES;

/// SEC-27: the groups of a caller are made of the articles that the caller sees.
#[tokio::test]
async fn groups_have_no_drafts_of_others() {
    let blog = extended_blog().await;
    for (client, visible) in blog.readers() {
        let of = async |query: &str| {
            client
                .get(&format!("{ARTICLES}?{query}"))
                .await
                .expect(200)
                .json()
        };
        let all = of("count").await;
        assert_eq!(all[0]["count"], visible.len(), "{all}");
        let groups = of("group=published&count&sort=published").await;
        let drafts = visible.iter().filter(|id| **id != 2).count();
        let count = |published: bool| {
            let mut groups = groups.as_array().unwrap().iter();
            let found = groups.find(|group| group["published"] == published);
            found.map_or(0, |group| group["count"].as_u64().unwrap())
        };
        assert_eq!((count(true), count(false)), (1, drafts as u64), "{groups}");
        let authors = of("group=authorId&count").await;
        let known = authors.as_array().unwrap().len();
        let expected = if visible.contains(&4) {
            3
        } else {
            visible.len().min(2)
        };
        let expected = if visible == [1, 2] { 1 } else { expected };
        assert_eq!(known, expected, "{authors}");
        for query in [
            "group=authorId&count&id=1",
            "group=authorId&count&title=Ann's%20draft&having[count][gte]=1",
        ] {
            assert_eq!(
                of(query).await.as_array().unwrap().is_empty(),
                !visible.contains(&1),
                "{query}"
            );
        }
        client
            .get(&format!("{ARTICLES}?group=id&count"))
            .await
            .expect(400);
        let beyond = format!("group=authorId&count&page={}&pageSize=1", expected + 1);
        assert_eq!(of(&beyond).await, json!([]));
    }
}

/// SEC-45: no aggregate is made of private columns of an account.
#[tokio::test]
async fn groups_reveal_no_private_column() {
    let blog = extended_blog().await;
    for client in [&blog.app.anonymous, &blog.bob] {
        for query in [
            "group=email&count",
            "group=roles&count",
            "max(email)",
            "min(createdAt)",
            "group=username&count&email[contains]=ann",
            "group=username&max(email)",
            "group=username&count&sort=email",
            "group=username&count&having[emailMax][gte]=a",
        ] {
            client.get(&format!("{AUTHORS}?{query}")).await.expect(400);
        }
        for query in [
            "group=author.email&count",
            "distinct(author.email)",
            "group=authorId&count&author.email=ann@example.com",
        ] {
            client.get(&format!("{ARTICLES}?{query}")).await.expect(400);
        }
        let names: Value = client
            .get(&format!("{AUTHORS}?group=username&count&sort=username&limit=1"))
            .await
            .expect(200)
            .json();
        assert_eq!(names, json!([{"username": "ann", "count": 1}]));
    }
}
