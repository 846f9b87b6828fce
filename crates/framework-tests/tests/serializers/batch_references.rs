//! Batch checks of objects that reference rows which the caller cannot see: the reference is rejected before they run.

use std::collections::HashMap;

use http::Method;
use model_resource::{
    Api, Batch, BatchErrors, CREATE, Caller, Context, Draft, Errors, Message, Model, ModelPolicy,
    ModelResource, ModelSerializer, Operations, PATCH, PUT, Query, Reply, Result, SerializerFields,
    ValidateBatch, Where, model_resource, route, serializer,
};
use serde_json::{Value, json};
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "questions")]
struct Question {
    #[column(primary_key)]
    id: i64,
    is_locked: bool,
    is_public: bool,
}

struct QuestionPolicy;

impl ModelPolicy for QuestionPolicy {
    type Model = Question;

    fn visible(_: &Caller) -> Where<Question> {
        Question::IS_PUBLIC.eq(true)
    }
}

#[model_resource(Question, "/questions", policy = QuestionPolicy)]
struct QuestionResource;

#[derive(Debug, Clone, Model)]
#[model(table = "remarks")]
struct Remark {
    #[column(primary_key)]
    id: i64,
    text: String,
    #[column(references = Question)]
    question_id: i64,
}

struct RemarkSerializer;

#[serializer]
impl ModelSerializer for RemarkSerializer {
    type Model = Remark;

    fn fields(fields: SerializerFields<Remark>) -> SerializerFields<Remark> {
        fields.validate_batch(none_is_locked)
    }
}

async fn none_is_locked(remarks: Batch<Remark>) -> Result<BatchErrors> {
    let questions: Vec<Question> = remarks.store_unchecked().all(&Query::new()).await?;
    let locked: HashMap<i64, bool> = questions.into_iter().map(|one| (one.id, one.is_locked)).collect();
    let mut errors = BatchErrors::new();
    for (index, remark) in remarks.drafts().iter().enumerate() {
        let question = remark.get(Remark::QUESTION_ID).unwrap_or_default();
        if locked.get(&question) == Some(&true) {
            errors.add(
                index,
                "questionId",
                Message::new("locked", "This question is locked."),
            );
        }
    }
    Ok(errors)
}

struct RemarkPolicy;

impl ModelPolicy for RemarkPolicy {
    type Model = Remark;

    fn updatable(_: &Caller) -> Where<Remark> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

struct RemarkResource;

#[model_resource(Remark, "/remarks", "/remarks/<int:id>", serializer = RemarkSerializer, policy = RemarkPolicy)]
impl ModelResource for RemarkResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
}

/// Operations with handlers, which take the errors.
struct OwnResource;

#[model_resource(Remark, "/own", "/own/<int:id>")]
impl ModelResource for OwnResource {
    async fn create(cx: Context, remark: Draft<Remark>, errors: Errors) -> Result<Reply> {
        if errors.is_empty() {
            return cx.created(remark).await;
        }
        cx.errors(errors)
    }

    async fn patch(cx: Context, remark: Draft<Remark>, errors: Errors) -> Result<Reply> {
        if errors.is_empty() {
            return cx.updated(remark).await;
        }
        cx.errors(errors)
    }
}

#[route("/check", methods = [POST])]
async fn check(cx: Context) -> Result<Reply> {
    let (_, errors) = cx.serializer_create::<Remark>()?.load_body().await?;
    cx.errors(errors)
}

/// An api with the questions 1 (locked), 2 (open), 3 (locked and invisible), 4 (invisible), and remarks on 2, 3 and 4.
async fn forum() -> TestApp {
    let api = Api::new("forum")
        .model_resource::<QuestionResource>()
        .model_resource::<RemarkResource>()
        .model_resource::<OwnResource>()
        .route(check)
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO questions (id, is_locked, is_public)
             VALUES (1, true, true), (2, false, true), (3, true, false), (4, false, false);
         INSERT INTO remarks (id, text, question_id) VALUES (102, 'b', 2), (103, 'c', 3), (104, 'd', 4)",
    );
    app
}

fn remark(question: i64) -> Value {
    json!({"text": "t", "questionId": question})
}

fn rejected(message: &str) -> Value {
    json!({"errors": {"questionId": [message]}})
}

/// SER-57: a check that reads every row says nothing about a row that the caller cannot see.
#[tokio::test]
async fn a_check_does_not_run_for_a_reference_that_the_caller_cannot_see() {
    let app = forum().await;
    let before = app.database().rows();
    let missing = "Question Id does not exist.";
    for (question, message) in [
        (1, "This question is locked."),
        (3, missing),
        (4, missing),
        (9, missing),
    ] {
        for url in ["/remarks", "/own", "/check"] {
            let response = app.post(url, remark(question)).await;
            response.expect_json(400, rejected(message));
        }
        for url in ["/remarks/102", "/own/102"] {
            let response = app.patch(url, remark(question)).await;
            response.expect_json(400, rejected(message));
        }
        let response = app.put("/remarks/102", remark(question)).await;
        response.expect_json(400, rejected(message));
    }
    assert_eq!(app.database().rows(), before);
    app.post("/own", remark(2)).await.expect(201);
}

/// SER-57: in bulk requests and files, the check runs for the other objects.
#[tokio::test]
async fn a_check_of_many_objects_runs_without_those_with_such_a_reference() {
    let app = forum().await;
    let before = app.database().rows();
    let errors = |message: &str| json!({"questionId": [message]});
    let (locked, missing) = (
        errors("This question is locked."),
        errors("Question Id does not exist."),
    );
    let many: Vec<Value> = [3, 2, 1, 4, 9].map(remark).to_vec();
    let expected = json!({"errors": {"0": missing, "2": locked, "3": missing, "4": missing}});
    app.post("/remarks", json!(many)).await.expect_json(400, expected);
    let csv = Some(("text/csv", "text,questionId\r\nt,3\r\nt,1\r\n".into()));
    let refused = app.send(Method::POST, "/remarks", csv).await.expect(400).json();
    assert_eq!(refused, json!({"errors": {"2": missing, "3": locked}}));
    let changes = json!([{"id": 102, "questionId": 3}, {"id": 103, "questionId": 1}]);
    app.patch("/remarks", changes)
        .await
        .expect_json(400, json!({"errors": {"0": missing, "1": locked}}));
    let whole = json!([{"id": 102, "text": "t", "questionId": 4}]);
    app.put("/remarks", whole)
        .await
        .expect_json(400, json!({"errors": {"0": missing}}));
    assert_eq!(app.database().rows(), before);
}

/// SER-57, POL-16: a foreign key that keeps its value is no new reference, so the check runs.
#[tokio::test]
async fn a_repeated_reference_is_checked() {
    let app = forum().await;
    app.patch("/remarks/104", remark(4)).await.expect(200);
    app.patch("/own/104", remark(4)).await.expect(200);
    let changes = json!([{"id": 104, "text": "u", "questionId": 4}, {"id": 102, "text": "u"}]);
    app.patch("/remarks", changes).await.expect(200);
    app.patch("/own/103", remark(3))
        .await
        .expect_json(400, rejected("This question is locked."));
}

/// A node of a tree with keys that clients choose, of which only the open ones are visible.
#[derive(Debug, Clone, Model)]
#[model(table = "nodes")]
struct Node {
    #[column(primary_key = client, min_length = 1)]
    id: String,
    is_open: bool,
    #[column(references = Node)]
    parent_id: Option<String>,
    #[column(references = Question)]
    question_id: Option<i64>,
}

struct NodePolicy;

impl ModelPolicy for NodePolicy {
    type Model = Node;

    fn visible(_: &Caller) -> Where<Node> {
        Node::IS_OPEN.eq(true)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

struct NodeSerializer;

#[serializer]
impl ModelSerializer for NodeSerializer {
    type Model = Node;

    fn fields(fields: SerializerFields<Node>) -> SerializerFields<Node> {
        fields.validate_batch(|nodes: Batch<Node>| async move {
            let mut errors = BatchErrors::new();
            for index in 0..nodes.drafts().len() {
                if !nodes.caller().is_authenticated() {
                    errors.add_object(index, "Nothing grows today.");
                }
            }
            Ok(errors)
        })
    }
}

struct NodeResource;

#[model_resource(Node, "/nodes", serializer = NodeSerializer, policy = NodePolicy)]
impl ModelResource for NodeResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

/// SER-57: new objects of one request may reference each other, and not a row that the caller cannot see.
#[tokio::test]
async fn objects_of_one_request_may_reference_each_other() {
    let api = Api::new("garden")
        .model_resource::<QuestionResource>()
        .model_resource::<NodeResource>()
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO nodes (id, is_open) VALUES ('hidden', false);
                  INSERT INTO questions (id, is_locked, is_public) VALUES (3, true, false)",
    );
    let node = |id: &str, parent: Value| json!({"id": id, "isOpen": true, "parentId": parent});
    let hidden = json!([node("a", json!("hidden"))]);
    app.post("/nodes", hidden).await.expect_json(
        400,
        json!({"errors": {"0": {"parentId": ["Parent Id does not exist."]}}}),
    );
    let mut both = node("a", json!("later"));
    both["questionId"] = json!(3);
    app.post("/nodes", json!([both])).await.expect_json(
        400,
        json!({"errors": {"0": {"questionId": ["Question Id does not exist."]}}}),
    );
    let tree = json!([node("root", Value::Null), node("leaf", json!("root"))]);
    let ann = app.as_caller("1");
    let made = ann.post("/nodes", tree).await.expect(201).json();
    assert_eq!(made[1]["parentId"], "root");
}
