//! Changes of an enum column that the model allows.

use http::Method;
use model_resource::store::StoreError;
use model_resource::{
    Api, CREATE, ColumnEnum, Context, Draft, Model, ModelResource, ModelSerializer, Operations, PATCH, PUT,
    Reply, Result, Store, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{Response, TestApp, TestDatabase};
use tokio::task::JoinSet;

#[derive(Debug, Clone, Copy, PartialEq, ColumnEnum)]
enum Status {
    Draft,
    Sent,
    #[column(name = "paid-up")]
    Paid,
    Void,
}

/// A bill.
#[derive(Debug, Clone, Model)]
struct Bill {
    #[column(primary_key)]
    id: i64,
    /// Where the bill is.
    #[column(default = "draft", transitions(new -> Draft | Void, Draft -> Sent, Draft | Sent -> Void, Sent -> Paid))]
    status: Status,
    #[column(default = "")]
    note: String,
}

struct BillSerializer;

#[serializer]
impl ModelSerializer for BillSerializer {
    type Model = Bill;
}

struct BillResource;

#[model_resource(Bill, "/bills", "/bills/<int:id>")]
impl ModelResource for BillResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
}

struct PaidResource;

#[model_resource(Bill, "/payments/<int:id>")]
impl ModelResource for PaidResource {
    async fn patch(cx: Context, mut bill: Draft<Bill>) -> Result<Reply> {
        bill.set(Bill::STATUS, Status::Paid);
        cx.updated(bill).await
    }
}

fn api() -> Api {
    Api::new("api")
        .serializer::<BillSerializer>()
        .model_resource::<BillResource>()
        .model_resource::<PaidResource>()
}

/// An api with one bill, which is a draft.
async fn app() -> TestApp {
    let app = TestApp::with_api(api()).await;
    app.post("/bills", json!({})).await.expect(201);
    app
}

async fn patch_as(app: &TestApp, media_type: &str, body: Value) -> Response {
    let body = Some((media_type, body.to_string().into()));
    app.send(Method::PATCH, "/bills/1", body).await
}

fn expect_error(response: Response, text: &str) {
    response.expect_json(400, json!({"errors": {"status": [text]}}));
}

const FROM_DRAFT: &str = "Can change from draft only to: sent, void.";

/// MOD-7: another change is an error of the field that names the allowed ones, by put and every format of patches, and
/// nothing is written.
#[tokio::test]
async fn a_change_that_is_not_declared_is_rejected() {
    let app = app().await;
    let before = app.database().rows();
    let paid = json!({"status": "paid-up", "note": "x"});
    expect_error(app.put("/bills/1", paid.clone()).await, FROM_DRAFT);
    expect_error(app.patch("/bills/1", paid.clone()).await, FROM_DRAFT);
    expect_error(
        patch_as(&app, "application/merge-patch+json", paid).await,
        FROM_DRAFT,
    );
    let operations = json!([{"op": "replace", "path": "/status", "value": "paid-up"}]);
    expect_error(
        patch_as(&app, "application/json-patch+json", operations).await,
        FROM_DRAFT,
    );
    expect_error(app.patch("/payments/1", json!({"note": "x"})).await, FROM_DRAFT);
    assert_eq!(app.database().rows(), before);

    let problem = app.with_header("accept", "application/problem+json");
    let problem = problem.patch("/bills/1", json!({"status": "paid-up"})).await;
    assert_eq!(problem.json()["errors"]["status"][0]["code"], "transition");
}

/// MOD-7: declared changes are made, a repeated value is no change, and nothing follows a value without an arrow.
#[tokio::test]
async fn declared_changes_are_made_and_a_repeated_value_is_none() {
    let app = app().await;
    app.patch("/bills/1", json!({"status": "draft", "note": "a"}))
        .await
        .expect(200);
    app.patch("/bills/1", json!({"status": "sent"})).await.expect(200);
    expect_error(
        app.patch("/bills/1", json!({"status": "draft"})).await,
        "Can change from sent only to: void, paid-up.",
    );
    app.patch("/payments/1", json!({})).await.expect(200);
    app.put("/bills/1", json!({"status": "paid-up", "note": "b"}))
        .await
        .expect(200);
    app.patch("/bills/1", json!({"note": "c"})).await.expect(200);
    for status in ["draft", "sent", "void"] {
        expect_error(
            app.patch("/bills/1", json!({"status": status})).await,
            "Cannot change from paid-up.",
        );
    }
    app.get("/bills/1")
        .await
        .expect_json(200, json!({"id": 1, "status": "paid-up", "note": "c"}));
    app.patch("/bills/9", json!({"status": "sent"})).await.expect(404);
}

/// MOD-7: each object of a bulk request is held against its own row.
#[tokio::test]
async fn each_object_of_a_bulk_request_is_held_against_its_row() {
    let app = app().await;
    app.post("/bills", json!({})).await.expect(201);
    app.patch("/bills/2", json!({"status": "sent"})).await.expect(200);
    let before = app.database().rows();
    let errors = json!({"errors": {"0": {"status": [FROM_DRAFT]}}});
    for method in [Method::PATCH, Method::PUT] {
        let paid = json!([{"id": 1, "status": "paid-up"}, {"id": 2, "status": "paid-up"}]);
        let answer = app.send_json(method, "/bills", paid).await;
        answer.expect_json(400, errors.clone());
    }
    assert_eq!(app.database().rows(), before);
    let valid = json!([{"id": 1, "status": "sent"}, {"id": 2, "status": "paid-up"}]);
    app.send_json(Method::PATCH, "/bills", valid).await.expect(200);
}

/// MOD-7: `new -> ..` limits the values of new rows, also in files.
#[tokio::test]
async fn new_rows_have_an_initial_value() {
    let app = app().await;
    let text = "Must be one of: draft, void when it is created.";
    expect_error(app.post("/bills", json!({"status": "sent"})).await, text);
    let csv = "status\r\nvoid\r\nsent\r\n";
    let imported = app
        .send(Method::POST, "/bills", Some(("text/csv", csv.into())))
        .await;
    imported.expect_json(400, json!({"errors": {"3": {"status": [text]}}}));
    app.post("/bills", json!({"status": "void"})).await.expect(201);
    assert_eq!(app.get("/bills").await.json().as_array().unwrap().len(), 2);
}

/// MOD-8: of two changes at the same time that exclude each other, one is made, whatever the requests have read before.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_changes_at_once_that_exclude_each_other_one_is_made() {
    let app = app().await;
    for bill in 2..12 {
        app.post("/bills", json!({})).await.expect(201);
        let path = format!("/bills/{bill}");
        app.patch(&path, json!({"status": "sent"})).await.expect(200);
        let mut changes = JoinSet::new();
        for status in ["paid-up", "void", "paid-up", "void"] {
            let (client, path) = (app.clone(), path.clone());
            changes.spawn(async move {
                let answer = client.put(&path, json!({"status": status})).await;
                (answer.status.as_u16(), status)
            });
        }
        let answers = changes.join_all().await;
        let made: Vec<&str> = answers
            .iter()
            .filter(|(code, _)| *code == 200)
            .map(|(_, status)| *status)
            .collect();
        let status = app.get(&path).await.json()["status"].clone();
        // A repeated value is no change, so that two requests with the same value may both succeed.
        assert!(
            !made.is_empty() && made.iter().all(|made| status == *made),
            "{answers:?}"
        );
        assert!(
            answers.iter().all(|(code, _)| matches!(code, 200 | 400)),
            "{answers:?}"
        );
    }
}

/// MOD-8: a draft over a row that has changed since is compared with the present row.
#[tokio::test]
async fn a_stale_draft_is_compared_with_the_present_row() {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    store.create_tables(&[Bill::table()]).await.unwrap();
    let old = store.create(Draft::<Bill>::new()).await.unwrap();
    let change = |status: Status| {
        let mut draft = Draft::of(&old);
        draft.set(Bill::STATUS, status);
        draft
    };
    store.save(change(Status::Void)).await.unwrap();
    let late = store.save(change(Status::Sent)).await;
    assert!(
        matches!(late, Err(StoreError::Invalid(ref errors)) if errors.has("status")),
        "{late:?}"
    );
    assert_eq!(
        store.get::<Bill>(old.id).await.unwrap().unwrap().status,
        Status::Void
    );
}
