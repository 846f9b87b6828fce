//! Parameters before the end of a URL, which limit its rows.

/// Declares a default serializer for each model.
macro_rules! serializers {
    ($($serializer:ident($model:ident)),*) => { $(
        struct $serializer;

        #[model_resource::serializer]
        impl model_resource::ModelSerializer for $serializer {
            type Model = $model;
        }
    )* };
}

mod declared;
mod foreign_keys;
mod grandparents;
mod unscoped;

use model_resource::{
    Api, CREATE, Context, DELETE, Model, ModelResource, Operations, PATCH, PUT, model_resource,
    param_converter, route,
};
use serde_json::{Value, json};
use test_support::TestApp;

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

/// The foreign key has another name than the model it references.
#[model_resource(
    Story,
    "/writers/<int:writer_id>/stories",
    "/writers/<int:writer_id>/stories/<int:id>",
    "/topics/<topic_slug>/stories",
    "/topics/<topic_slug>/stories/<int:id>"
)]
impl ModelResource for StoryResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
}

struct AnswerResource;

#[model_resource(
    Answer,
    "/writers/<int:writer_id>/stories/<int:story_id>/answers",
    "/writers/<int:writer_id>/stories/<int:story_id>/answers/<int:id>"
)]
impl ModelResource for AnswerResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
}

/// Two steps away; the step between is in the body.
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
