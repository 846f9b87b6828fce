//! Drafts of the reference application exist only for their author and admins.

use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::json;
use test_support::Response;

use crate::sample_blog::{ARTICLES, CATEGORIES, DRAFT, MISSING, PUBLISHED, blog, ids, listed};

/// Returns a response without the headers that differ between any two responses.
fn seen(answer: Response) -> (u16, HeaderMap, Bytes) {
    let mut headers = answer.headers;
    headers.remove("x-request-id");
    headers.remove("date");
    (answer.status.as_u16(), headers, answer.body)
}

/// SEC-27, ERR-7: get, put, patch and delete of another user's draft are byte for byte the response for a missing id.
#[tokio::test]
async fn anothers_draft_is_a_missing_article_byte_for_byte() {
    let blog = blog().await;
    let before = blog.rows();
    let bodies = [
        json!({"title": "Stolen", "body": "x", "published": true}),
        json!({"authorId": blog.bob_id}),
        json!({}),
        json!({"nope": 1}),
        json!([]),
    ];
    for client in [&blog.app.anonymous, &blog.bob] {
        for below in ["", "/comments", "/comments/1", "?expand=comments,author"] {
            let hidden = client.get(&format!("{DRAFT}{below}")).await.expect(404);
            let missing = client.get(&format!("{MISSING}{below}")).await;
            assert_eq!(seen(hidden), seen(missing), "GET {below}");
        }
        for method in [Method::PUT, Method::PATCH] {
            for body in &bodies {
                let hidden = client
                    .send_json(method.clone(), DRAFT, body.clone())
                    .await
                    .expect(404);
                let missing = client.send_json(method.clone(), MISSING, body.clone()).await;
                assert_eq!(seen(hidden), seen(missing), "{method} {body}");
            }
        }
        for below in ["", "/comments/1"] {
            let hidden = client.delete(&format!("{DRAFT}{below}")).await.expect(404);
            assert_eq!(
                seen(hidden),
                seen(client.delete(&format!("{MISSING}{below}")).await)
            );
        }
        let comment = json!({"name": "Eve", "body": "I know it is there."});
        let hidden = client
            .post(&format!("{DRAFT}/comments"), comment.clone())
            .await
            .expect(404);
        let missing = client.post(&format!("{MISSING}/comments"), comment).await;
        assert_eq!(seen(hidden), seen(missing));
    }
    assert_eq!(blog.rows(), before);
    blog.ann.get(DRAFT).await.expect(200);
    blog.app.get(DRAFT).await.expect(200);
}

/// SEC-27: the same holds in bulk writes, which report the object and write nothing.
#[tokio::test]
async fn anothers_draft_is_a_missing_article_in_bulk_requests() {
    let blog = blog().await;
    let before = blog.rows();
    for (fault, status) in [(1, 404), (999, 404), (2, 403)] {
        let many = json!([{"id": 3, "title": "Mine"}, {"id": fault, "title": "Stolen"}]);
        let rejection = blog.bob.patch(ARTICLES, many).await.expect(status).json();
        assert!(rejection["errors"]["1"].is_object(), "{rejection}");
        blog.bob
            .delete(&format!("{ARTICLES}?id=3&id={fault}"))
            .await
            .expect(status);
    }
    blog.app
        .anonymous
        .patch(ARTICLES, json!([{"id": 2, "title": "x"}]))
        .await
        .expect(401);
    blog.app
        .anonymous
        .delete(&format!("{ARTICLES}?id=2"))
        .await
        .expect(401);
    let many =
        json!([{"title": "Mine", "body": "x"}, {"title": "Hers", "body": "x", "authorId": blog.ann_id}]);
    blog.bob.post(ARTICLES, many).await.expect(400);
    assert_eq!(blog.rows(), before);
    blog.bob.delete(&format!("{ARTICLES}?id=3")).await.expect(204);
}

/// SEC-27: a user's list, counts, links and searches exclude drafts of others.
#[tokio::test]
async fn lists_counts_links_and_searches_have_no_drafts_of_others() {
    let blog = blog().await;
    for (client, visible) in blog.readers() {
        let count = visible.len().to_string();
        assert_eq!(listed(client, ARTICLES).await, visible);
        assert_eq!(listed(client, &format!("{ARTICLES}?q=snow")).await, visible);
        assert_eq!(
            listed(client, &format!("{ARTICLES}?id[in]=1,2,3,4")).await,
            visible
        );
        assert_eq!(listed(client, &format!("{ARTICLES}?not=(id=999)")).await, visible);
        let drafts: Vec<i64> = visible.iter().copied().filter(|id| *id != 2).collect();
        assert_eq!(
            listed(client, &format!("{ARTICLES}?published=false")).await,
            drafts
        );
        let found = listed(client, &format!("{ARTICLES}?q=draft")).await;
        let named_so: Vec<i64> = visible.iter().copied().filter(|id| [1, 3].contains(id)).collect();
        assert_eq!(found, named_so);
        for query in [
            "page=1&pageSize=1",
            "limit=1&count=exact",
            "page=1&pageSize=1&q=snow",
        ] {
            let page = client.get(&format!("{ARTICLES}?{query}")).await;
            assert_eq!(page.header("x-total-count"), count, "{query}");
        }
        let page = client.get(&format!("{ARTICLES}?page=1&pageSize=1")).await;
        let last = format!("page={count}");
        let mut links = page
            .header("link")
            .split(", ")
            .filter(|link| link.contains("rel=\"last\""));
        assert!(
            links.next().is_some_and(|link| link.contains(&last)),
            "{}",
            page.header("link")
        );
        let beyond = format!("{ARTICLES}?page={}&pageSize=1", visible.len() + 1);
        assert_eq!(listed(client, &beyond).await, [0; 0]);
        let csv = client
            .get(&format!("{ARTICLES}?format=csv"))
            .await
            .expect(200)
            .text();
        assert_eq!(csv.lines().count(), visible.len() + 1, "{csv}");
    }
}

/// SEC-27, SEC-29: `expand` and filters through relations do not reach invisible rows.
#[tokio::test]
async fn relations_do_not_reach_drafts_of_others() {
    let blog = blog().await;
    for (client, visible) in blog.readers() {
        let category = client
            .get("/api/v1/categories/1?expand=articles.comments")
            .await
            .expect(200)
            .json();
        assert_eq!(ids(&category["articles"]), visible);
        for article in category["articles"].as_array().unwrap() {
            assert_eq!(article["comments"].as_array().unwrap().len(), 1);
        }
        for (title, id) in [("Ann's%20draft", 1), ("Bob's%20draft", 3), ("Orphan", 4)] {
            let found = listed(client, &format!("{CATEGORIES}?articles.title={title}")).await;
            assert_eq!(!found.is_empty(), visible.contains(&id), "{title}");
        }
        for id in 1..=4 {
            let found = listed(client, &format!("{ARTICLES}?comments.id={id}")).await;
            assert_eq!(found == [id], visible.contains(&id));
            let comments = format!("{ARTICLES}/{id}/comments");
            let status = if visible.contains(&id) { 200 } else { 404 };
            for query in [
                "",
                "?expand=article",
                "?article.title[isnull]=false",
                "?article.published=false",
                "?sort=article.title",
                "?sort=-article.authorId",
                "?page=1&pageSize=1",
            ] {
                client.get(&format!("{comments}{query}")).await.expect(status);
            }
        }
        let expanded = client
            .get("/api/v1/articles/2/comments?expand=article")
            .await
            .expect(200)
            .json();
        assert_eq!(expanded[0]["article"]["id"], 2);
    }
}

/// SEC-27: a former admin does not see drafts at the next request.
#[tokio::test]
async fn a_dropped_role_hides_drafts_at_the_next_request() {
    let blog = blog().await;
    blog.app.get(DRAFT).await.expect(200);
    blog.app.database().execute("UPDATE users SET roles = ''");
    blog.app.get(DRAFT).await.expect(404);
    blog.app.patch(PUBLISHED, json!({"title": "x"})).await.expect(403);
    assert_eq!(listed(&blog.app, ARTICLES).await, [2]);
}

/// SEC-27: another caller who uses an admin's cursor gets only visible rows.
#[tokio::test]
async fn a_cursor_of_an_admin_reveals_no_draft() {
    let blog = blog().await;
    let page = blog
        .app
        .get(&format!("{ARTICLES}?cursor=&limit=1"))
        .await
        .expect(200);
    assert_eq!(ids(&page.json()), [1]);
    let mut links = page.header("link").split(", ");
    let next = links
        .find_map(|link| link.strip_suffix(">; rel=\"next\""))
        .unwrap();
    let next = next.trim_start_matches('<');
    for (client, visible) in blog.readers() {
        let later: Vec<i64> = visible.into_iter().filter(|id| *id > 1).take(1).collect();
        assert_eq!(listed(client, next).await, later);
    }
}
