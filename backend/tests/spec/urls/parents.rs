//! URLs below a parent.

use serde_json::{Value, json};
use test_support::Client;

use crate::support::BackendApp;

/// Starts the application with two articles and one comment each: comment 1 below article 1, comment 2 below article 2.
async fn two_articles() -> BackendApp {
    let app = BackendApp::start().await;
    for number in 1..=2 {
        app.post(
            "/api/v1/articles",
            json!({"title": format!("Article {number}"), "body": "b"}),
        )
        .await
        .expect(201);
        app.post(
            &format!("/api/v1/articles/{number}/comments"),
            json!({"name": "n", "body": format!("on {number}")}),
        )
        .await
        .expect(201);
    }
    app
}

async fn comment(client: &Client, article: i64, comment: i64) -> Value {
    let path = format!("/api/v1/articles/{article}/comments/{comment}");
    client.get(&path).await.expect(200).json()
}

/// URL-7: a URL below a parent is limited to its rows; a row of another parent is a 404 and is not changed.
#[tokio::test]
async fn a_parent_in_the_url_limits_every_operation_to_its_rows() {
    let app = two_articles().await;
    let (first, second) = (comment(&app, 1, 1).await, comment(&app, 2, 2).await);
    app.get("/api/v1/articles/1/comments")
        .await
        .expect_json(200, json!([first]));
    app.get("/api/v1/articles/2/comments")
        .await
        .expect_json(200, json!([second]));

    let foreign = "/api/v1/articles/1/comments/2";
    let body = json!({"name": "x", "body": "y"});
    app.get(foreign).await.expect(404);
    app.head(foreign).await.expect(404);
    app.put(foreign, body.clone()).await.expect(404);
    app.patch(foreign, body.clone()).await.expect(404);
    app.delete(foreign).await.expect(404);
    assert_eq!(comment(&app, 2, 2).await, second);

    let changed = app
        .patch("/api/v1/articles/2/comments/2", json!({"body": "new"}))
        .await;
    assert_eq!(changed.expect(200).json()["body"], "new");
    app.delete("/api/v1/articles/2/comments/2").await.expect(204);
    app.get("/api/v1/articles/2/comments")
        .await
        .expect_json(200, json!([]));
    assert_eq!(comment(&app, 1, 1).await, first);
}

/// URL-7: a row cannot be moved to another parent through a nested URL.
#[tokio::test]
async fn a_row_cannot_be_moved_away_from_the_parent_in_the_url() {
    let app = two_articles().await;
    let before = comment(&app, 1, 1).await;
    app.patch("/api/v1/articles/1/comments/1", json!({"articleId": 2}))
        .await
        .expect_json(400, json!({"errors": {"articleId": ["Does not match the URL."]}}));
    app.put(
        "/api/v1/articles/1/comments/1",
        json!({"articleId": 2, "name": "n", "body": "b"}),
    )
    .await
    .expect(400);
    assert_eq!(comment(&app, 1, 1).await, before);
    app.get("/api/v1/articles/2/comments/1").await.expect(404);
}

/// URL-8: a create below a parent sets the foreign key from the URL; a body may repeat it but not contradict it.
#[tokio::test]
async fn a_create_below_a_parent_sets_the_foreign_key() {
    let app = two_articles().await;
    let path = "/api/v1/articles/2/comments";
    let made = app
        .post(path, json!({"name": "n", "body": "b"}))
        .await
        .expect(201);
    assert_eq!(made.json()["articleId"], 2);
    assert_eq!(made.header("location"), "/api/v1/articles/2/comments/3");
    app.get(made.header("location"))
        .await
        .expect_json(200, made.json());

    let repeated = app
        .post(path, json!({"articleId": 2, "name": "n", "body": "b"}))
        .await;
    assert_eq!(repeated.expect(201).json()["articleId"], 2);
    app.post(path, json!({"articleId": 1, "name": "n", "body": "b"}))
        .await
        .expect_json(400, json!({"errors": {"articleId": ["Does not match the URL."]}}));
    for (article, count) in [(1, 1), (2, 3)] {
        let list = app.get(&format!("/api/v1/articles/{article}/comments")).await;
        assert_eq!(list.expect(200).json().as_array().unwrap().len(), count);
    }
}

/// URL-9: below a nonexistent parent every operation is a 404, including list and create.
#[tokio::test]
async fn below_a_missing_parent_nothing_is_found() {
    let app = two_articles().await;
    let body = json!({"name": "n", "body": "b"});
    for parent in ["3", "9223372036854775807"] {
        let list = format!("/api/v1/articles/{parent}/comments");
        let item = format!("{list}/1");
        app.get(&list).await.expect(404);
        app.head(&list).await.expect(404);
        app.post(&list, body.clone()).await.expect(404);
        app.post(&list, json!({"nonsense": true})).await.expect(404);
        app.get(&item).await.expect(404);
        app.put(&item, body.clone()).await.expect(404);
        app.patch(&item, body.clone()).await.expect(404);
        app.delete(&item).await.expect(404);
    }
    app.delete("/api/v1/articles/1").await.expect(204);
    app.get("/api/v1/articles/1/comments").await.expect(404);
    let left = app.get("/api/v1/articles/2/comments").await.expect(200).json();
    assert_eq!(left.as_array().unwrap().len(), 1);
}
