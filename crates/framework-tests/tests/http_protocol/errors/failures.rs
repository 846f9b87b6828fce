//! Failures of the service itself.

use model_resource::{
    Api, Context, Draft, Error, Errors, Model, ModelResource, Reply, Result, model_resource, route,
};
use serde_json::{Value, json};
use test_support::{Log, Response, TestApp};

#[route("/fails")]
async fn fails() -> Result<Reply> {
    Err(Error::internal("the secret cause 4711"))
}

#[route("/panics")]
async fn panics(cx: Context) -> Result<Reply> {
    assert!(cx.query("no").is_some(), "a panicking view 4712");
    Reply::json(&json!({}))
}

/// A model whose handlers fail.
#[derive(Debug, Clone, Model)]
#[model(table = "things")]
struct Thing {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct ThingResource;

#[model_resource(Thing, "/things", "/things/<int:id>")]
impl ModelResource for ThingResource {
    async fn create(cx: Context, thing: Draft<Thing>, errors: Errors) -> Result<Reply> {
        assert!(
            thing.get(Thing::NAME).as_deref() != Some("panic"),
            "a panicking operation 4713"
        );
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        cx.created(thing).await
    }
}

async fn failing() -> TestApp {
    let api = Api::new("things")
        .model_resource::<ThingResource>()
        .route(fails)
        .route(panics);
    TestApp::with_api(api).await
}

/// Asserts that the response hides the cause, and that the log has it under the same id.
#[track_caller]
fn expect_failure(log: &Log, answer: Response, cause: &str) {
    let answer = answer.expect(500);
    let id = answer.header("x-request-id").to_owned();
    assert!(!id.is_empty());
    let expected: Value = json!({"message": "Internal Server Error", "requestId": id});
    assert_eq!(answer.json(), expected);
    let lines = log.lines_with(cause);
    assert!(
        lines.iter().any(|line| line.contains(&id)),
        "no {id} in {lines:?}"
    );
}

/// ERR-13: the response has the request id but not the cause; the log has both.
#[tokio::test]
async fn an_unexpected_failure_is_a_500_whose_cause_is_only_in_the_log() {
    let log = Log::start();
    let app = failing().await;
    expect_failure(&log, app.get("/fails").await, "the secret cause 4711");
    let named = app.with_header("x-request-id", "my-own-id-4711");
    let answer = named.get("/fails").await;
    assert_eq!(answer.header("x-request-id"), "my-own-id-4711");
    expect_failure(&log, answer, "the secret cause 4711");
}

/// ERR-13, LOAD-63: a table that was dropped while the server runs is a 503, whose cause is only in the log too.
#[tokio::test]
async fn a_missing_table_is_a_503_that_does_not_reveal_the_schema() {
    let log = Log::start();
    let app = failing().await;
    app.database().execute("DROP TABLE things");
    for answer in [
        app.get("/things").await,
        app.get("/things/1").await,
        app.post("/things", json!({"name": "x"})).await,
    ] {
        let answer = answer.expect(503);
        assert_eq!(answer.header("retry-after"), "1");
        let expected = json!({"message": "The service is not available; try again shortly."});
        assert_eq!(answer.json(), expected);
    }
    let cause = app.database().missing_table_message("things");
    // Once, since all of them have the same cause.
    let lines = log.lines_with(&cause);
    let of_requests = lines
        .iter()
        .filter(|line| line.contains("the service is unavailable"));
    assert_eq!(of_requests.count(), 1, "{lines:?}");
}

/// ERR-14: a panic ends one request, but neither the process nor the connection.
#[tokio::test]
async fn a_panic_in_a_handler_is_a_500_for_one_request() {
    let log = Log::start();
    let app = failing().await;
    for _ in 0..3 {
        expect_failure(&log, app.get("/panics").await, "a panicking view 4712");
        let panicking = app.post("/things", json!({"name": "panic"})).await;
        expect_failure(&log, panicking, "a panicking operation 4713");
    }
    app.get("/panics?no=1").await.expect_json(200, json!({}));
    app.get("/things").await.expect_json(200, json!([]));
    app.post("/things", json!({"name": "fine"})).await.expect(201);
}
