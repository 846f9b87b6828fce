//! The rows that a parameter before the end limits a URL to.

use backend::api::{Api, Context, ModelResource, Operations, operations};
use http::Method;
use model_resource::{
    Blueprint, CREATE, DELETE, Model, ModelSerializer, PATCH, PUT, Params, model_resource, param_converter,
    route, serializer,
};
use serde_json::{Value, json};

use crate::support::{TestApp, refusal, rows};

#[derive(Debug, Clone, Model)]
#[model(table = "writers")]
struct Writer {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "topics")]
struct Topic {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    slug: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "stories")]
struct Story {
    #[column(primary_key)]
    id: i64,
    #[column(references = Writer)]
    author_id: i64,
    #[column(references = Topic)]
    topic_id: Option<i64>,
    title: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "replies")]
struct Answer {
    #[column(primary_key)]
    id: i64,
    #[column(references = Story)]
    story_id: i64,
    text: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "letters")]
struct Letter {
    #[column(primary_key)]
    id: i64,
    #[column(references = Writer)]
    sender_id: i64,
    #[column(references = Writer)]
    receiver_id: i64,
    #[column(references = Story)]
    story_id: Option<i64>,
}

macro_rules! serializers {
    ($($serializer:ident($model:ident)),*) => { $(
        struct $serializer;

        #[serializer]
        impl ModelSerializer for $serializer {
            type Model = $model;
        }
    )* };
}

serializers!(
    WriterSerializer(Writer),
    TopicSerializer(Topic),
    StorySerializer(Story),
    AnswerSerializer(Answer),
    LetterSerializer(Letter)
);

#[model_resource(Writer, "/writers", "/writers/<int:id>")]
struct WriterResource;

#[model_resource(Topic, "/topics", "/topics/<slug>")]
struct TopicResource;

struct StoryResource;

/// The foreign key is called otherwise than the model that it leads to.
#[model_resource(
    Story,
    "/writers/<int:writer_id>/stories",
    "/writers/<int:writer_id>/stories/<int:id>",
    "/topics/<topic_slug>/stories",
    "/topics/<topic_slug>/stories/<int:id>"
)]
impl ModelResource for StoryResource {
    const BULK_METHODS: Operations = operations![CREATE, PATCH, DELETE];
}

struct AnswerResource;

#[model_resource(
    Answer,
    "/writers/<int:writer_id>/stories/<int:story_id>/answers",
    "/writers/<int:writer_id>/stories/<int:story_id>/answers/<int:id>"
)]
impl ModelResource for AnswerResource {
    const BULK_METHODS: Operations = operations![CREATE, PUT, PATCH, DELETE];
}

/// Two steps away, and the step between them is in the body.
#[model_resource(
    Answer,
    "/writers/<writer_name>/answers",
    "/writers/<writer_name>/answers/<int:id>",
    scope(writer_name = "story_id.author_id.name"),
    endpoint = "answers_to"
)]
struct AnswersToResource;

#[model_resource(
    Letter,
    "/writers/<int:writer_id>/inbox",
    "/writers/<int:writer_id>/inbox/<int:id>",
    scope(writer_id = "receiver_id")
)]
struct InboxResource;

#[route(
    "/told/<int:story_id>",
    decorators = [param_converter().model::<Story>("story_id")]
)]
async fn told(cx: Context) -> Value {
    json!(cx.loaded::<Story>().map(|story| story.title))
}

fn api() -> Api {
    Api::new("scopes")
        .serializer::<WriterSerializer>()
        .serializer::<TopicSerializer>()
        .serializer::<StorySerializer>()
        .serializer::<AnswerSerializer>()
        .serializer::<LetterSerializer>()
}

/// Writers 1 to 3; stories 1 and 3 of writer 1 and story 2 of writer 2, about the topic `rust`; an answer to each.
async fn app() -> TestApp {
    let api = api()
        .model_resource::<WriterResource>()
        .model_resource::<TopicResource>()
        .model_resource::<StoryResource>()
        .model_resource::<AnswerResource>()
        .model_resource::<AnswersToResource>()
        .model_resource::<InboxResource>()
        .route(told);
    let app = TestApp::with_api(api).await;
    for name in ["ann", "bob", "cem"] {
        app.post("/writers", json!({"name": name})).await.expect(201);
    }
    for slug in ["rust", "sql"] {
        app.post("/topics", json!({"slug": slug})).await.expect(201);
    }
    for (writer, topic) in [(1, 1), (2, 1), (1, 2)] {
        let story = json!({"topicId": topic, "title": format!("by {writer}")});
        let made = app.post(&format!("/writers/{writer}/stories"), story).await;
        assert_eq!(made.expect(201).json()["authorId"], writer);
    }
    for (writer, story) in [(1, 1), (2, 2), (1, 3)] {
        let answers = format!("/writers/{writer}/stories/{story}/answers");
        let made = app.post(&answers, json!({"text": format!("to {story}")})).await;
        assert_eq!(made.expect(201).header("location"), format!("{answers}/{story}"));
    }
    app
}

fn ids(list: &Value) -> Vec<i64> {
    let objects = list.as_array().unwrap().iter();
    objects.map(|object| object["id"].as_i64().unwrap()).collect()
}

/// URL-5: a collection below a parent is no item: DELETE there touches nothing, whatever the parent's key.
#[tokio::test]
async fn a_delete_of_a_collection_below_a_parent_deletes_nothing() {
    #[model_resource(Story, "/writers/<int:writer_id>/stories", "/stories/<int:id>")]
    struct Plain;
    let api = api().model_resource::<WriterResource>().model_resource::<Plain>();
    let app = TestApp::with_api(api).await;
    app.post("/writers", json!({"name": "ann"})).await.expect(201);
    let story = json!({"title": "one"});
    app.post("/writers/1/stories", story).await.expect(201);
    let before = rows(&app.database());
    for method in [Method::DELETE, Method::PUT, Method::PATCH] {
        let refused = app
            .send_json(method, "/writers/1/stories", json!({"title": "no"}))
            .await;
        assert_eq!(refused.expect(405).header("allow"), "GET, HEAD, POST, OPTIONS");
    }
    assert_eq!(rows(&app.database()), before);
}

/// URL-13: by the only foreign key that leads to the model which the parameter names.
#[tokio::test]
async fn a_parameter_limits_rows_by_the_foreign_key_to_its_model() {
    let app = app().await;
    let stories = app.get("/writers/1/stories").await.expect(200).json();
    assert_eq!(ids(&stories), [1, 3]);
    let before = rows(&app.database());
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
    assert_eq!(rows(&app.database()), before);
    let changed = app.patch("/writers/2/stories/2", json!({"title": "new"})).await;
    assert_eq!(changed.expect(200).json()["title"], "new");
}

/// URL-13: the parent may be named by a unique column of its own.
#[tokio::test]
async fn a_parent_may_be_named_by_a_unique_column() {
    let app = app().await;
    let about = app.get("/topics/rust/stories").await.expect(200).json();
    assert_eq!(ids(&about), [1, 2]);
    let made = app
        .post("/topics/sql/stories", json!({"authorId": 1, "title": "joins"}))
        .await
        .expect(201);
    assert_eq!(made.json()["topicId"], 2);
    assert_eq!(made.header("location"), "/topics/sql/stories/4");
    let before = rows(&app.database());
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
    assert_eq!(rows(&app.database()), before);
    app.patch("/topics/rust/stories/1", json!({"topicId": 1, "title": "same"}))
        .await
        .expect(200);
    app.put("/topics/rust/stories/1", json!({"authorId": 1, "title": "put"}))
        .await
        .expect_json(200, json!({"id": 1, "authorId": 1, "topicId": 1, "title": "put"}));
    app.delete("/topics/rust/stories/2").await.expect(409);
}

/// URL-14: a grandparent limits by the foreign key of the parent to its right, in every operation.
#[tokio::test]
async fn a_grandparent_limits_rows_through_the_parent() {
    let app = app().await;
    let own = "/writers/1/stories/1/answers";
    app.get(own)
        .await
        .expect_json(200, json!([{"id": 1, "storyId": 1, "text": "to 1"}]));
    app.get(&format!("{own}/1")).await.expect(200);
    let before = rows(&app.database());
    let body = json!({"text": "no"});
    // The story of another writer, a writer who is not there, an answer to another story of the same writer.
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
    assert_eq!(rows(&app.database()), before);
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

/// URL-14: a row is read by one statement, however many parents the URL has.
#[tokio::test]
async fn a_get_below_a_grandparent_is_one_statement() {
    let app = app().await;
    for path in ["/writers/1/stories/1/answers/1", "/topics/rust/stories/1"] {
        let before = app.store.reads();
        app.get(path).await.expect(200);
        assert_eq!(app.store.reads() - before, 1, "{path}");
    }
}

/// URL-15: a way that is declared; what lies between may be in the body, and must lead to the same row.
#[tokio::test]
async fn a_declared_way_limits_rows() {
    let app = app().await;
    assert_eq!(
        ids(&app.get("/writers/ann/answers").await.expect(200).json()),
        [1, 3]
    );
    app.get("/writers/nobody/answers").await.expect(404);
    app.get("/writers/bob/answers/1").await.expect(404);
    let before = rows(&app.database());
    let mismatch = json!({"errors": {"storyId": ["Does not match the URL."]}});
    for story in [2, 9] {
        let body = json!({"storyId": story, "text": "no"});
        app.post("/writers/ann/answers", body.clone())
            .await
            .expect_json(400, mismatch.clone());
        app.put("/writers/ann/answers/1", body.clone())
            .await
            .expect_json(400, mismatch.clone());
        app.patch("/writers/ann/answers/1", body)
            .await
            .expect_json(400, mismatch.clone());
    }
    app.post("/writers/ann/answers", json!({"text": "no"}))
        .await
        .expect_json(400, json!({"errors": {"storyId": ["Story Id is required."]}}));
    app.post("/writers/nobody/answers", json!({"storyId": 1, "text": "no"}))
        .await
        .expect(404);
    app.patch("/writers/bob/answers/1", json!({"text": "no"}))
        .await
        .expect(404);
    app.delete("/writers/bob/answers/1").await.expect(404);
    assert_eq!(rows(&app.database()), before);
    let made = app
        .post("/writers/ann/answers", json!({"storyId": 3, "text": "yes"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/writers/ann/answers/4");
    app.patch("/writers/ann/answers/1", json!({"storyId": 3}))
        .await
        .expect_json(200, json!({"id": 1, "storyId": 3, "text": "to 1"}));

    let letter = json!({"senderId": 1, "storyId": null});
    let made = app.post("/writers/2/inbox", letter).await.expect(201);
    assert_eq!(made.json()["receiverId"], 2);
    app.get("/writers/2/inbox/1").await.expect(200);
    app.get("/writers/1/inbox/1").await.expect(404);
}

/// URL-15: a parameter that could mean two things is refused at start, with the declarations to choose from.
#[tokio::test]
async fn an_ambiguous_parameter_is_refused() {
    #[model_resource(Letter, "/writers/<int:writer_id>/letters")]
    struct TwoKeys;
    #[model_resource(
        Letter,
        "/writers/<int:writer_id>/stories/<int:story_id>/letters",
        scope(writer_id = "sender_id")
    )]
    struct Declared;
    #[model_resource(Letter, "/writers/<int:author_id>/stories/<int:story_id>/letters")]
    struct Through;

    #[derive(Debug, Clone, Model)]
    #[model(table = "notes")]
    struct Note {
        #[column(primary_key)]
        id: i64,
        #[column(references = Writer)]
        writer_id: i64,
        #[column(references = Story)]
        story_id: i64,
    }
    serializers!(NoteSerializer(Note));
    #[model_resource(Note, "/writers/<int:writer_id>/stories/<int:story_id>/notes")]
    struct TwoWays;

    let mistakes = refusal(api().model_resource::<TwoKeys>()).await;
    let remedy = "`scope(writer_id = \"sender_id\")` or `scope(writer_id = \"receiver_id\")`";
    assert!(
        matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
        "{mistakes:?}"
    );
    let api_of_notes = api().serializer::<NoteSerializer>();
    let mistakes = refusal(api_of_notes.model_resource::<TwoWays>()).await;
    let remedy = "`scope(writer_id = \"writer_id\")` or `scope(writer_id = \"story_id.author_id\")`";
    assert!(
        matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
        "{mistakes:?}"
    );
    assert!(refusal(api().model_resource::<Declared>()).await.is_empty());
    assert!(refusal(api().model_resource::<Through>()).await.is_empty());
}

/// URL-15: a declaration that leads nowhere is refused at start.
#[tokio::test]
async fn a_senseless_declaration_is_refused() {
    #[model_resource(Answer, "/w/<int:w>/answers", scope(w = "story_id.autor_id"))]
    struct Misspelt;
    #[model_resource(Answer, "/w/<int:w>/answers", scope(w = "text"))]
    struct NoKey;
    #[model_resource(Answer, "/w/<int:w>/answers", scope(w = "story_id.title"))]
    struct NotUnique;
    #[model_resource(Answer, "/w/<int:w>/answers", scope(w = "story_id"), unscoped("v"))]
    struct Idle;
    for (api, remedy) in [
        (api().model_resource::<Misspelt>(), "did you mean `author_id`?"),
        (
            api().model_resource::<NoKey>(),
            "`text` of Answer is no foreign key",
        ),
        (
            api().model_resource::<NotUnique>(),
            "`title` of Story is no foreign key",
        ),
        (
            api().model_resource::<Idle>(),
            "`v`, which is in none of its URLs",
        ),
    ] {
        let mistakes = refusal(api).await;
        assert!(
            matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
            "{mistakes:?}"
        );
    }
}

const TENANT: Blueprint = Blueprint::new("tenant", "/t/<tenant>").unscoped(&["tenant"]);
const UNDECLARED: Blueprint = Blueprint::new("undeclared", "/t/<tenant>");
const MISSPELT: Blueprint = Blueprint::new("misspelt", "/t/<tenant>").unscoped(&["tenent"]);

#[model_resource(TENANT, Topic, "/topics", "/topics/<slug>", endpoint = "tenant_topics")]
struct TenantTopicResource;

#[route(TENANT, "/who/<int:number>")]
async fn who(params: Params) -> Value {
    json!([params.get("tenant"), params.get("number")])
}

/// URL-16: a parameter that is declared to limit nothing, in a prefix, a blueprint or a URL.
#[tokio::test]
async fn a_parameter_may_be_declared_to_limit_nothing() {
    #[model_resource(Topic, "/as/<role>/topics", "/as/<role>/topics/<slug>", unscoped("role"))]
    struct RoleTopicResource;

    let api = api()
        .prefix("/v/<any(a,b):version>")
        .unscoped("version")
        .model_resource::<TenantTopicResource>()
        .model_resource::<RoleTopicResource>()
        .route(who);
    let app = TestApp::with_api(api).await;
    let rust = json!({"id": 1, "slug": "rust"});
    let made = app
        .post("/v/a/t/acme/topics", json!({"slug": "rust"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/v/a/t/acme/topics/rust");
    for path in [
        "/v/a/t/acme/topics/rust",
        "/v/b/t/other/topics/rust",
        "/v/a/as/x/topics/rust",
    ] {
        app.get(path).await.expect_json(200, rust.clone());
    }
    app.get("/v/b/as/x/topics").await.expect_json(200, json!([rust]));
    app.get("/v/a/t/acme/who/7")
        .await
        .expect_json(200, json!(["acme", "7"]));
    app.get("/v/c/t/acme/topics").await.expect(404);
    // Below the prefix the api answers what it does not know, too.
    let unknown = app.get("/v/a/nothing").await.expect(404);
    assert_eq!(unknown.header("content-type"), "application/json");
}

/// URL-16: what limits nothing and is not declared so is refused at start, and so is a declaration that a model contradicts.
#[tokio::test]
async fn what_limits_nothing_is_declared() {
    #[model_resource(UNDECLARED, Topic, "/topics")]
    struct Undeclared;
    #[model_resource(MISSPELT, Topic, "/topics")]
    struct Misspelt;
    #[model_resource(Topic, "/topics/<int:id>/close")]
    struct Below;
    #[model_resource(Story, "/stories")]
    struct Contradicted;
    #[model_resource(Story, "/stories", unscoped("writer_id"))]
    struct Agreed;
    let prefixed = || api().prefix("/w/<int:writer_id>").unscoped("writer_id");
    for (api, remedy) in [
        (api().model_resource::<Undeclared>(), "`unscoped(\"tenant\")`"),
        (
            api().model_resource::<Misspelt>(),
            "not in its prefix `/t/<tenant>`",
        ),
        (api().model_resource::<Below>(), "a view with #[route]"),
        (api().unscoped("tenant"), "not in its prefix"),
        (
            prefixed().model_resource::<Contradicted>(),
            "`scope(writer_id = \"author_id\")` or `unscoped(\"writer_id\")`",
        ),
    ] {
        let mistakes = refusal(api).await;
        assert!(
            matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
            "{mistakes:?}"
        );
    }
    assert!(refusal(prefixed().model_resource::<Agreed>()).await.is_empty());
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
