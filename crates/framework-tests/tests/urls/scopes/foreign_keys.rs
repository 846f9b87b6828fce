//! Parameters that limit rows by a foreign key to a parent.

use http::Method;
use model_resource::model_resource;
use serde_json::json;
use test_support::TestApp;

use super::{Story, WriterResource, api, app, ids};

/// URL-5: a collection below a parent is not an item: DELETE there changes nothing, regardless of the parent's key.
#[tokio::test]
async fn a_delete_of_a_collection_below_a_parent_deletes_nothing() {
    #[model_resource(Story, "/writers/<int:writer_id>/stories", "/stories/<int:id>")]
    struct Plain;
    let api = api().model_resource::<WriterResource>().model_resource::<Plain>();
    let app = TestApp::with_api(api).await;
    app.post("/writers", json!({"name": "ann"})).await.expect(201);
    let story = json!({"title": "one"});
    app.post("/writers/1/stories", story).await.expect(201);
    let before = app.database().rows();
    for method in [Method::DELETE, Method::PUT, Method::PATCH] {
        let refused = app
            .send_json(method, "/writers/1/stories", json!({"title": "no"}))
            .await;
        assert_eq!(refused.expect(405).header("allow"), "GET, HEAD, POST, OPTIONS");
    }
    assert_eq!(app.database().rows(), before);
}

/// URL-13: the parameter uses the only foreign key that references its model.
#[tokio::test]
async fn a_parameter_limits_rows_by_the_foreign_key_to_its_model() {
    let app = app().await;
    let stories = app.get("/writers/1/stories").await.expect(200).json();
    assert_eq!(ids(&stories), [1, 3]);
    let before = app.database().rows();
    for path in ["/writers/2/stories/1", "/writers/3/stories/1"] {
        app.get(path).await.expect(404);
        app.patch(path, json!({"title": "no"})).await.expect(404);
        app.put(path, json!({"title": "no"})).await.expect(404);
        app.delete(path).await.expect(404);
    }
    app.patch("/writers/2/stories", json!([{"id": 1, "title": "no"}]))
        .await
        .expect(404);
    app.delete("/writers/2/stories?id=1").await.expect(404);
    app.get("/writers/9/stories").await.expect(404);
    app.post("/writers/9/stories", json!({"title": "no"}))
        .await
        .expect(404);
    app.post("/writers/1/stories", json!({"title": "no", "authorId": 2}))
        .await
        .expect_json(400, json!({"errors": {"authorId": ["Does not match the URL."]}}));
    assert_eq!(app.database().rows(), before);
    let changed = app.patch("/writers/2/stories/2", json!({"title": "new"})).await;
    assert_eq!(changed.expect(200).json()["title"], "new");
}

/// URL-13: a unique column of the parent may identify it.
#[tokio::test]
async fn a_unique_column_may_identify_a_parent() {
    let app = app().await;
    let about = app.get("/topics/rust/stories").await.expect(200).json();
    assert_eq!(ids(&about), [1, 2]);
    let made = app
        .post("/topics/sql/stories", json!({"authorId": 1, "title": "joins"}))
        .await
        .expect(201);
    assert_eq!(made.json()["topicId"], 2);
    assert_eq!(made.header("location"), "/topics/sql/stories/4");
    let before = app.database().rows();
    for path in [
        "/topics/sql/stories/1",
        "/topics/no/stories/1",
        "/topics/1/stories/1",
    ] {
        app.get(path).await.expect(404);
        app.patch(path, json!({"title": "no"})).await.expect(404);
        app.put(path, json!({"authorId": 1, "title": "no"}))
            .await
            .expect(404);
        app.delete(path).await.expect(404);
    }
    app.get("/topics/no/stories").await.expect(404);
    app.post("/topics/no/stories", json!({"authorId": 1, "title": "no"}))
        .await
        .expect(404);
    let mismatch = json!({"errors": {"topicId": ["Does not match the URL."]}});
    app.post(
        "/topics/rust/stories",
        json!({"authorId": 1, "topicId": 2, "title": "no"}),
    )
    .await
    .expect_json(400, mismatch.clone());
    for topic in [json!(2), json!(null)] {
        app.patch("/topics/rust/stories/1", json!({"topicId": topic}))
            .await
            .expect_json(400, mismatch.clone());
        app.put(
            "/topics/rust/stories/1",
            json!({"authorId": 1, "topicId": topic, "title": "no"}),
        )
        .await
        .expect_json(400, mismatch.clone());
    }
    assert_eq!(app.database().rows(), before);
    app.patch("/topics/rust/stories/1", json!({"topicId": 1, "title": "same"}))
        .await
        .expect(200);
    app.put("/topics/rust/stories/1", json!({"authorId": 1, "title": "put"}))
        .await
        .expect_json(200, json!({"id": 1, "authorId": 1, "topicId": 1, "title": "put"}));
    app.delete("/topics/rust/stories/2").await.expect(409);
}
