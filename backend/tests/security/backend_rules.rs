//! The rules of the reference application: whose articles are whose, and who sees drafts.

use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::{Value, json};

use crate::support::{Client, Response, TestApp, rows};

const ARTICLES: &str = "/api/v1/articles";
const CATEGORIES: &str = "/api/v1/categories";

/// Ann's draft (1) and her published article (2), Bob's draft (3), and a draft of nobody's (4), each in the category Rust
/// (1) and with a comment of the same number.
struct Blog {
    app: TestApp,
    ann: Client,
    ann_id: i64,
    bob: Client,
    bob_id: i64,
}

const DRAFT: &str = "/api/v1/articles/1";
const PUBLISHED: &str = "/api/v1/articles/2";
const MISSING: &str = "/api/v1/articles/999";

async fn blog() -> Blog {
    let app = TestApp::start().await;
    let (ann_id, ann) = app.user("ann").await;
    let (bob_id, bob) = app.user("bob").await;
    app.post(CATEGORIES, json!({"name": "Rust"})).await.expect(201);
    for (client, title, published) in [
        (&ann, "Ann's draft", false),
        (&ann, "Ann's article", true),
        (&bob, "Bob's draft", false),
        (&app.client, "Orphan", false),
    ] {
        let article = json!({"title": title, "body": "Snow", "published": published, "categoryId": 1});
        let article = client.post(ARTICLES, article).await.expect(201).json();
        let comment = json!({"name": "Reader", "body": format!("On {title}")});
        let url = format!("{ARTICLES}/{}/comments", article["id"]);
        client.post(&url, comment).await.expect(201);
    }
    Blog {
        app,
        ann,
        ann_id,
        bob,
        bob_id,
    }
}

impl Blog {
    /// Everybody, with the ids of the articles that they see.
    fn readers(&self) -> [(&Client, Vec<i64>); 4] {
        [
            (&self.app.anonymous, vec![2]),
            (&self.ann, vec![1, 2]),
            (&self.bob, vec![2, 3]),
            (&self.app.client, vec![1, 2, 3, 4]),
        ]
    }

    fn rows(&self) -> Vec<String> {
        rows(&self.app.database())
    }
}

fn ids(list: &Value) -> Vec<i64> {
    let objects = list.as_array().unwrap().iter();
    objects.map(|object| object["id"].as_i64().unwrap()).collect()
}

async fn listed(client: &Client, url: &str) -> Vec<i64> {
    ids(&client.get(url).await.expect(200).json())
}

/// What a client sees of an answer, apart from what no two answers share.
fn seen(answer: Response) -> (u16, HeaderMap, Bytes) {
    let mut headers = answer.headers;
    headers.remove("x-request-id");
    headers.remove("date");
    (answer.status.as_u16(), headers, answer.body)
}

/// SEC-27, ERR-7: B reads, puts, patches and deletes A's draft: byte for byte the answer for a missing id.
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

/// SEC-27: the same in writes of many, which name the object at fault and write none.
#[tokio::test]
async fn anothers_draft_is_a_missing_article_among_many() {
    let blog = blog().await;
    let before = blog.rows();
    for (fault, status) in [(1, 404), (999, 404), (2, 403)] {
        let many = json!([{"id": 3, "title": "Mine"}, {"id": fault, "title": "Stolen"}]);
        let told = blog.bob.patch(ARTICLES, many).await.expect(status).json();
        assert!(told["errors"]["1"].is_object(), "{told}");
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

/// SEC-27: B's list, its counts, page links and searches do not count A's drafts.
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
        assert!(found.iter().all(|id| visible.contains(id)), "{found:?}");
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

/// SEC-27, SEC-29: `expand` and conditions through relations reach nothing that B may not see.
#[tokio::test]
async fn relations_lead_to_no_drafts_of_others() {
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

/// SEC-28: B patches A's visible article, its `authorId` too, or deletes it: 403, and 401 for who is not known.
#[tokio::test]
async fn an_article_is_changed_and_deleted_by_its_author_and_admins_alone() {
    let blog = blog().await;
    let before = blog.rows();
    for (client, status) in [(&blog.app.anonymous, 401), (&blog.bob, 403)] {
        for body in [
            json!({"authorId": blog.bob_id}),
            json!({"title": "Stolen"}),
            json!({"title": "Stolen", "body": "x", "authorId": blog.bob_id}),
            json!({}),
            json!({"nope": 1}),
        ] {
            client.patch(PUBLISHED, body.clone()).await.expect(status);
            client.put(PUBLISHED, body).await.expect(status);
        }
        client.delete(PUBLISHED).await.expect(status);
    }
    assert_eq!(blog.rows(), before);

    let changed = blog
        .ann
        .patch(PUBLISHED, json!({"title": "Changed"}))
        .await
        .expect(200)
        .json();
    assert_eq!(changed["title"], "Changed");
    blog.app
        .patch(PUBLISHED, json!({"title": "Edited"}))
        .await
        .expect(200);
    blog.ann.delete(PUBLISHED).await.expect(204);
    blog.ann.delete(PUBLISHED).await.expect(404);
    blog.app.delete(DRAFT).await.expect(204);
    blog.ann.get(DRAFT).await.expect(404);
}

/// SEC-28: B creates with `authorId` of A: refused. A new article is its maker's, and nobody gives one away.
#[tokio::test]
async fn an_article_is_its_makers_and_only_admins_say_otherwise() {
    let blog = blog().await;
    let before = blog.rows();
    let of = |author: Value| json!({"title": "New", "body": "x", "authorId": author});
    blog.app
        .anonymous
        .post(ARTICLES, json!({"title": "New", "body": "x"}))
        .await
        .expect(401);
    blog.app
        .anonymous
        .post(ARTICLES, json!({"nope": 1}))
        .await
        .expect(401);
    for author in [json!(blog.ann_id), json!(999), json!(null)] {
        let told = blog.bob.post(ARTICLES, of(author)).await.expect(400).json();
        assert!(told["errors"]["authorId"].is_array(), "{told}");
    }
    assert_eq!(blog.rows(), before);

    for body in [json!({"title": "New", "body": "x"}), of(json!(blog.bob_id))] {
        let own = blog.bob.post(ARTICLES, body).await.expect(201).json();
        assert_eq!(own["authorId"], blog.bob_id);
    }
    for author in [json!(blog.ann_id), json!(null)] {
        let kept = blog
            .bob
            .patch("/api/v1/articles/3", json!({"authorId": author}))
            .await
            .expect(200)
            .json();
        assert_eq!(kept["authorId"], blog.bob_id);
    }
    for author in [json!(blog.ann_id), json!(null)] {
        let given = blog
            .app
            .post(ARTICLES, of(author.clone()))
            .await
            .expect(201)
            .json();
        assert_eq!(given["authorId"], author);
        let given = blog
            .app
            .patch(DRAFT, json!({"authorId": author}))
            .await
            .expect(200)
            .json();
        assert_eq!(given["authorId"], author);
    }
    // It was just taken from her.
    blog.ann.get(DRAFT).await.expect(404);
    blog.app.post(ARTICLES, of(json!(999))).await.expect(400);
}

/// SEC-29: anyone comments on what they can read; its author and admins delete comments, and admins alone change them.
#[tokio::test]
async fn comments_are_made_by_anyone_and_deleted_by_the_articles_author_and_admins() {
    let blog = blog().await;
    let comments = format!("{PUBLISHED}/comments");
    let comment = json!({"name": "Reader", "body": "Nice"});
    let mut made = Vec::new();
    for client in [&blog.app.anonymous, &blog.bob, &blog.ann] {
        let answer = client.post(&comments, comment.clone()).await.expect(201);
        made.push(answer.header("location").to_owned());
    }
    let before = blog.rows();
    for (client, status) in [(&blog.app.anonymous, 401), (&blog.bob, 403)] {
        client.delete(&made[0]).await.expect(status);
        client.delete(&format!("{comments}?id=2")).await.expect(status);
    }
    for (client, status) in [(&blog.app.anonymous, 401), (&blog.bob, 403), (&blog.ann, 403)] {
        for body in [
            json!({"body": "Twisted"}),
            json!({}),
            json!({"nope": 1}),
            json!({"articleId": 3}),
        ] {
            client.patch(&made[0], body.clone()).await.expect(status);
            client.put(&made[0], body).await.expect(status);
        }
        client
            .patch(&comments, json!([{"id": 2, "body": "Twisted"}]))
            .await
            .expect(status);
    }
    assert_eq!(blog.rows(), before);

    blog.ann.delete(&made[0]).await.expect(204);
    blog.ann.delete(&made[0]).await.expect(404);
    blog.app
        .patch(&made[1], json!({"body": "Moderated"}))
        .await
        .expect(200);
    blog.app.delete(&made[1]).await.expect(204);
    // Also below a draft, which its author may comment on.
    let own = blog
        .ann
        .post(&format!("{DRAFT}/comments"), comment)
        .await
        .expect(201);
    blog.ann.delete(own.header("location")).await.expect(204);
}

/// SEC-30: anyone reads categories, and admins write them.
#[tokio::test]
async fn categories_are_read_by_anyone_and_written_by_admins() {
    let blog = blog().await;
    let before = blog.rows();
    let item = "/api/v1/categories/1";
    for (client, status) in [(&blog.app.anonymous, 401), (&blog.ann, 403)] {
        client.get(item).await.expect(200);
        assert_eq!(listed(client, CATEGORIES).await, [1]);
        for body in [json!({"name": "Go"}), json!({}), json!({"nope": 1})] {
            client.post(CATEGORIES, body.clone()).await.expect(status);
            client.put(item, body.clone()).await.expect(status);
            client.patch(item, body).await.expect(status);
        }
        client.delete(item).await.expect(status);
        client
            .patch("/api/v1/categories/999", json!({"name": "Go"}))
            .await
            .expect(404);
    }
    assert_eq!(blog.rows(), before);
    blog.app.patch(item, json!({"name": "Go"})).await.expect(200);
    blog.app.delete(item).await.expect(204);
}

/// SEC-27: who is an admin no more sees drafts no more, at the next request.
#[tokio::test]
async fn a_dropped_role_hides_drafts_at_the_next_request() {
    let blog = blog().await;
    blog.app.get(DRAFT).await.expect(200);
    crate::support::execute(&blog.app.database(), "UPDATE users SET roles = ''");
    blog.app.get(DRAFT).await.expect(404);
    blog.app.patch(PUBLISHED, json!({"title": "x"})).await.expect(403);
    assert_eq!(listed(&blog.app, ARTICLES).await, [2]);
}
