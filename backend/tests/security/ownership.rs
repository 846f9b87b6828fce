//! Ownership in the reference application: articles, comments and categories.

use backend::models::Comment;
use backend::policies::CommentPolicy;
use backend::security::ADMIN;
use model_resource::store::{AnyQuery, ListQuery};
use model_resource::{Caller, Model, ModelPolicy, Where};
use serde_json::{Value, json};

use crate::sample_blog::{ARTICLES, CATEGORIES, DRAFT, PUBLISHED, blog, listed};

/// SEC-28: patching (also `authorId`) or deleting another user's visible article is a 403, or a 401 for anonymous
/// callers.
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

/// SEC-28: of a concurrent delete and patch, the loser gets a 404, and the row is not restored.
#[tokio::test(flavor = "multi_thread")]
async fn a_patch_does_not_restore_a_deleted_article() {
    let blog = blog().await;
    for _ in 0..20 {
        let article = json!({"title": "New", "body": "x"});
        let made = blog.ann.post(ARTICLES, article).await.expect(201);
        let url = made.header("location").to_owned();
        let patches = blog.app.patch(&url, json!({"published": true}));
        let (deleted, patched) = tokio::join!(blog.ann.delete(&url), patches);
        deleted.expect(204);
        assert!(
            [200, 404].contains(&patched.status.as_u16()),
            "{}",
            patched.text()
        );
        blog.app.get(&url).await.expect(404);
    }
}

/// SEC-28: creating an article with another user's `authorId` is rejected. A new article belongs to its creator, who
/// cannot give it away.
#[tokio::test]
async fn an_article_belongs_to_its_creator_unless_an_admin_sets_the_author() {
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
        let rejection = blog.bob.post(ARTICLES, of(author)).await.expect(400).json();
        assert!(rejection["errors"]["authorId"].is_array(), "{rejection}");
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
    // The admin has just reassigned it.
    blog.ann.get(DRAFT).await.expect(404);
    blog.app.post(ARTICLES, of(json!(999))).await.expect(400);
}

/// SEC-29: everyone comments on readable articles; the article's author and admins delete comments, and only admins
/// change them.
#[tokio::test]
async fn comments_are_created_by_anyone_and_deleted_by_the_articles_author_and_admins() {
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
    // Authors may also comment on their drafts.
    let own = blog
        .ann
        .post(&format!("{DRAFT}/comments"), comment)
        .await
        .expect(201);
    blog.ann.delete(own.header("location")).await.expect(204);
}

/// SEC-29: the policy of comments is evaluated by the database, which has the articles.
#[tokio::test]
async fn the_visibility_of_comments_follows_their_articles() {
    let blog = blog().await;
    let comments = async |rows: Where<Comment>| {
        let list = ListQuery::of(AnyQuery::from(Comment::table()).restrict(rows.into_any()));
        let found: Vec<Comment> = blog.app.store.all_of(&list).await.unwrap();
        found.into_iter().map(|comment| comment.id).collect::<Vec<_>>()
    };
    for (caller, visible, deletable) in [
        (Caller::anonymous(), vec![2], vec![]),
        (Caller::of(blog.ann_id), vec![1, 2], vec![1, 2]),
        (Caller::of(blog.bob_id), vec![2, 3], vec![3]),
        (Caller::of(99_i64), vec![2], vec![]),
        (
            Caller::of(99_i64).with_roles([ADMIN]),
            vec![1, 2, 3, 4],
            vec![1, 2, 3, 4],
        ),
    ] {
        assert_eq!(
            comments(CommentPolicy::visible(&caller)).await,
            visible,
            "{caller:?}"
        );
        assert_eq!(
            comments(CommentPolicy::deletable(&caller)).await,
            deletable,
            "{caller:?}"
        );
    }
}

/// SEC-30, POL-5: everyone reads categories, and admins write them.
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
