//! Checks of an object for the caller who writes it.

use model_resource::{
    Api, CREATE, Caller, ColumnEnum, Context, Draft, Error, Errors, Message, Model, ModelPolicy,
    ModelResource, ModelSerializer, Operations, PATCH, Reply, Result, SerializerFields, ValidateForCaller,
    Where, WriteMode, model_resource, route, serializer,
};
use serde_json::json;
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum Status {
    Private,
    Public,
}

#[derive(Debug, Clone, Model)]
#[model(table = "questions")]
struct Question {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1)]
    title: String,
    #[column(default = "private")]
    status: Status,
    #[column(references = Topic)]
    topic_id: Option<i64>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "topics")]
struct Topic {
    #[column(primary_key)]
    id: i64,
    name: String,
}

/// Lets every account write.
struct OpenPolicy<M>(std::marker::PhantomData<fn() -> M>);

impl<M: Model> ModelPolicy for OpenPolicy<M> {
    type Model = M;

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn updatable(caller: &Caller) -> Where<M> {
        Where::all_if(caller.is_authenticated())
    }
}

struct QuestionSerializer;

#[serializer]
impl ModelSerializer for QuestionSerializer {
    type Model = Question;

    fn fields(fields: SerializerFields<Question>) -> SerializerFields<Question> {
        fields.validate_for_caller(only_staff_publish)
    }
}

/// Only staff publish a question, and change the title of a public one.
fn only_staff_publish(caller: &Caller, question: &Draft<Question>, mode: WriteMode, errors: &mut Errors) {
    if caller.has_role("staff") || question.get(Question::STATUS) != Some(Status::Public) {
        return;
    }
    if mode == WriteMode::Create || question.is_changed(Question::STATUS) {
        errors.add(
            "status",
            Message::new("staff_only", "Only staff may publish a question."),
        );
    } else if question.is_changed(Question::TITLE) {
        errors.add("title", "Only staff may rename a public question.");
    }
}

struct TopicSerializer;

#[serializer]
impl ModelSerializer for TopicSerializer {
    type Model = Topic;

    fn fields(fields: SerializerFields<Topic>) -> SerializerFields<Topic> {
        fields
            .has_many::<QuestionSerializer>("questions", Question::TOPIC_ID)
            .writable("questions")
    }
}

struct QuestionResource;

#[model_resource(
    Question,
    "/questions",
    "/questions/<int:id>",
    serializer = QuestionSerializer,
    policy = OpenPolicy<Question>
)]
impl ModelResource for QuestionResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

#[model_resource(Topic, "/topics", "/topics/<int:id>", serializer = TopicSerializer, policy = OpenPolicy<Topic>)]
struct TopicResource;

struct SlowResource;

/// Publishes the question between the load and the write of a patch.
#[model_resource(Question, "/slow/<int:id>")]
impl ModelResource for SlowResource {
    async fn patch(cx: Context, question: Draft<Question>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        let row: Question = cx
            .find(cx.param::<i64>("id")?)
            .await?
            .ok_or_else(Error::not_found)?;
        let published = Draft::of(&row).with(Question::STATUS, Status::Public);
        cx.store_unchecked().save(published).await?;
        cx.updated(question).await
    }
}

struct PublishingResource;

/// Publishes every question that is changed, and renames it between the load and the write if the URL says so.
#[model_resource(Question, "/publishing/<title>/<int:id>", unscoped("title"))]
impl ModelResource for PublishingResource {
    async fn patch(cx: Context, question: Draft<Question>) -> Result<Reply> {
        let title: String = cx.param("title")?;
        let row: Question = cx
            .find(cx.param::<i64>("id")?)
            .await?
            .ok_or_else(Error::not_found)?;
        cx.store_unchecked()
            .save(Draft::of(&row).with(Question::TITLE, title))
            .await?;
        cx.updated(question.with(Question::STATUS, Status::Public)).await
    }
}

/// Answers with the errors of a body that a view loads.
#[route("/check", methods = [POST])]
async fn check(cx: Context) -> Result<Reply> {
    let (_, errors) = cx.serializer::<Question>()?.load_body().await?;
    if errors.is_empty() {
        Ok(Reply::no_content())
    } else {
        cx.errors(errors)
    }
}

async fn app() -> (TestApp, Client, Client) {
    let api = Api::new("questions")
        .authenticator(HeaderAuthenticator)
        .model_resource::<QuestionResource>()
        .model_resource::<TopicResource>()
        .model_resource::<SlowResource>()
        .model_resource::<PublishingResource>()
        .route(check);
    let app = TestApp::with_api(api).await;
    let (ann, staff) = (app.as_caller("1"), app.as_caller("2 staff"));
    (app, ann, staff)
}

fn refused() -> serde_json::Value {
    json!({"status": ["Only staff may publish a question."]})
}

/// SER-58: a check knows the caller; its errors are those of fields, with their codes, beside the errors of other fields.
#[tokio::test]
async fn the_errors_of_a_caller_are_beside_those_of_fields() {
    let (app, ann, staff) = app().await;
    let body = json!({"title": "", "status": "public", "color": 1});
    let mut errors = refused();
    errors["title"] = json!(["May not be empty."]);
    errors["color"] = json!(["Unknown field."]);
    ann.post("/questions", body.clone())
        .await
        .expect_json(400, json!({ "errors": errors }));
    let problem = ann.with_header("accept", "application/problem+json");
    let problem = problem.post("/questions", body.clone()).await.expect(400).text();
    assert!(problem.contains("staff_only"), "{problem}");
    let staff_errors = staff.post("/questions", body).await.expect(400).json();
    assert!(staff_errors["errors"]["status"].is_null(), "{staff_errors}");
    assert_eq!(app.get("/questions").await.expect(200).json(), json!([]));
    let public = json!({"title": "Why?", "status": "public"});
    staff.post("/questions", public).await.expect(201);
    ann.post("/questions", json!({"title": "How?"})).await.expect(201);
}

/// SER-58: in an update the check sees the saved values, and which of them change.
#[tokio::test]
async fn an_update_is_checked_over_what_is_saved() {
    let (app, ann, staff) = app().await;
    for status in ["public", "private"] {
        let question = json!({"title": "Why?", "status": status});
        staff.post("/questions", question).await.expect(201);
    }
    let repeated = json!({"status": "public", "topicId": null});
    ann.patch("/questions/1", repeated).await.expect(200);
    let renamed = json!({"errors": {"title": ["Only staff may rename a public question."]}});
    ann.patch("/questions/1", json!({"title": "Who?"}))
        .await
        .expect_json(400, renamed);
    for published in [
        json!({"status": "public"}),
        json!({"status": "public", "title": "Who?"}),
    ] {
        ann.patch("/questions/2", published)
            .await
            .expect_json(400, json!({"errors": refused()}));
    }
    ann.put(
        "/questions/2",
        json!({"title": "Who?", "status": "public", "topicId": null}),
    )
    .await
    .expect_json(400, json!({"errors": refused()}));
    let saved = app.get("/questions?fields=title,status").await.expect(200).json();
    let (public, private) = (
        json!({"title": "Why?", "status": "public"}),
        json!({"title": "Why?", "status": "private"}),
    );
    assert_eq!(saved, json!([public, private]));
    staff
        .patch("/questions/2", json!({"status": "public"}))
        .await
        .expect(200);
}

/// SER-58: the check applies to each object of a bulk request, to related objects, and to what views load.
#[tokio::test]
async fn every_loaded_object_is_checked() {
    let (app, ann, staff) = app().await;
    let (good, bad) = (
        json!({"title": "How?"}),
        json!({"title": "Why?", "status": "public"}),
    );
    ann.post("/questions", json!([good, bad]))
        .await
        .expect_json(400, json!({"errors": {"1": refused()}}));
    let topic = json!({"name": "Rust", "questions": [good, bad]});
    ann.post("/topics", topic.clone())
        .await
        .expect_json(400, json!({"errors": {"questions": {"1": refused()}}}));
    assert_eq!(app.get("/questions").await.expect(200).json(), json!([]));
    assert_eq!(app.get("/topics").await.expect(200).json(), json!([]));
    ann.post("/check", bad.clone())
        .await
        .expect_json(400, json!({"errors": refused()}));
    staff.post("/check", bad).await.expect(204);
    staff.post("/topics", topic).await.expect(201);
}

/// SER-58: a draft whose row has changed since it was loaded is checked again.
#[tokio::test]
async fn a_changed_row_is_checked_again() {
    let (app, ann, staff) = app().await;
    ann.post("/questions", json!({"title": "Why?"})).await.expect(201);
    let renamed = json!({"title": "Who?"});
    ann.patch("/slow/1", renamed.clone()).await.expect_json(
        400,
        json!({"errors": {"title": ["Only staff may rename a public question."]}}),
    );
    let saved = app.get("/questions/1?fields=title").await.expect(200).json();
    assert_eq!(saved, json!({"title": "Why?"}));
    staff.patch("/slow/1", renamed).await.expect(200);
}

/// SER-58: the repeated check sees the values that a custom operation has set, and the first one does not.
#[tokio::test]
async fn a_repeated_check_sees_what_the_operation_has_set() {
    let (app, ann, _) = app().await;
    ann.post("/questions", json!({"title": "Why?"})).await.expect(201);
    let who = json!({"title": "Who?"});
    let renamed = ann.patch("/publishing/How/1", who.clone()).await;
    renamed.expect_json(400, json!({"errors": refused()}));
    let saved = app.get("/questions/1").await.expect(200).json();
    assert_eq!(
        (&saved["title"], &saved["status"]),
        (&json!("How"), &json!("private"))
    );
    ann.patch("/publishing/How/1", who).await.expect(200);
}
