//! Parameters that limit rows through several foreign keys.

use http::Method;
use model_resource::{Context, ModelResource, Operations, model_resource, param_converter};
use serde_json::{Value, json};
use test_support::TestApp;

use super::{Answer, Story, StoryResource, WriterResource, api, app};

/// URL-14: a grandparent limits rows through the foreign key of the parent to its right, in every operation.
#[tokio::test]
async fn a_grandparent_limits_rows_through_the_parent() {
    let app = app().await;
    let own = "/writers/1/stories/1/answers";
    app.get(own)
        .await
        .expect_json(200, json!([{"id": 1, "storyId": 1, "text": "to 1"}]));
    app.get(&format!("{own}/1")).await.expect(200);
    let before = app.database().rows();
    let body = json!({"text": "no"});
    // The story of another writer, a nonexistent writer, and an answer to another story of the same writer.
    for (answers, item) in [
        ("/writers/2/stories/1/answers", "/writers/2/stories/1/answers/1"),
        ("/writers/9/stories/1/answers", "/writers/9/stories/1/answers/1"),
        ("/writers/1/stories/9/answers", "/writers/1/stories/3/answers/1"),
    ] {
        app.get(answers).await.expect(404);
        app.post(answers, body.clone()).await.expect(404);
        app.post(answers, json!([body])).await.expect(404);
        app.patch(answers, json!([{"id": 1, "text": "no"}]))
            .await
            .expect(404);
        app.put(answers, json!([{"id": 1, "text": "no"}]))
            .await
            .expect(404);
        app.delete(&format!("{answers}?id=1")).await.expect(404);
        let file = ("text/csv", "text\nno\n".into());
        app.send(Method::POST, answers, Some(file)).await.expect(404);
        app.get(item).await.expect(404);
        app.put(item, body.clone()).await.expect(404);
        app.patch(item, body.clone()).await.expect(404);
        app.patch(item, json!({"nonsense": 1})).await.expect(404);
        app.delete(item).await.expect(404);
    }
    app.patch(&format!("{own}/1"), json!({"storyId": 3}))
        .await
        .expect_json(400, json!({"errors": {"storyId": ["Does not match the URL."]}}));
    assert_eq!(app.database().rows(), before);
    app.put(&format!("{own}/1"), json!({"text": "put"}))
        .await
        .expect(200);
    app.patch(own, json!([{"id": 1, "text": "many"}]))
        .await
        .expect(200);
    let file = ("text/csv", "text\nfrom a file\n".into());
    app.send(Method::POST, own, Some(file)).await.expect(201);
    app.delete(&format!("{own}?id=1&id=4")).await.expect(204);
    app.get(own).await.expect_json(200, json!([]));
}

/// URL-14: a row is read by one statement, regardless of the number of parents in the URL.
#[tokio::test]
async fn a_get_below_a_grandparent_is_one_statement() {
    let app = app().await;
    for path in ["/writers/1/stories/1/answers/1", "/topics/rust/stories/1"] {
        let before = app.store.read_count();
        app.get(path).await.expect(200);
        assert_eq!(app.store.read_count() - before, 1, "{path}");
    }
}

/// URL-14: a converter of a parent finds it only below its own parents.
#[tokio::test]
async fn a_converter_of_a_parent_is_below_the_grandparent() {
    struct Counted;

    #[model_resource(Answer, "/w/<int:writer_id>/s/<int:story_id>/answers")]
    impl ModelResource for Counted {
        const INCLUDE_METHODS: Operations = Operations::NONE;
        const EXCLUDE_DECORATORS: Operations = Operations::ALL;

        fn method_decorators() -> model_resource::MethodDecorators {
            model_resource::MethodDecorators::none().every(param_converter().model::<Story>("story_id"))
        }

        async fn list(cx: Context) -> Value {
            json!(cx.loaded::<Story>().map(|story| story.title))
        }
    }

    let api = api()
        .model_resource::<WriterResource>()
        .model_resource::<StoryResource>()
        .model_resource::<Counted>();
    let app = TestApp::with_api(api).await;
    for name in ["ann", "bob"] {
        app.post("/writers", json!({"name": name})).await.expect(201);
    }
    app.post("/writers/1/stories", json!({"title": "one"}))
        .await
        .expect(201);
    app.get("/w/1/s/1/answers").await.expect_json(200, json!("one"));
    app.get("/w/2/s/1/answers").await.expect(404);
}
