//! Timeouts of requests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Method;
use model_resource::{
    Api, CREATE, Context, Draft, Model, ModelResource, Operations, Reply, Result, model_resource, route,
};
use serde_json::json;
use test_support::{RawConnection, TestApp};

#[route("/slow", methods = [GET, POST])]
async fn slow(cx: Context) -> Result<Reply> {
    if cx.query("sleep").is_some() {
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
    let body = cx.body().await?;
    Reply::json(&json!({"read": body.len()}))
}

/// Writes that were made and will never be committed.
static UNFINISHED: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug, Clone, Model)]
#[model(table = "jobs")]
struct Job {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct JobResource;

#[model_resource(Job, "/jobs", "/jobs/<int:id>")]
impl ModelResource for JobResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    /// Stops between the write and the commit of a job with the name `endless`.
    async fn create(mut cx: Context, job: Draft<Job>) -> Result<Reply> {
        let name = job.get(Job::NAME).unwrap_or_default();
        cx.begin().await?;
        let reply = cx.created(job).await?;
        if name == "endless" {
            UNFINISHED.fetch_add(1, Ordering::SeqCst);
            std::future::pending::<()>().await;
        }
        cx.commit().await?;
        Ok(reply)
    }
}

/// LIM-3: a handler or a body that takes longer than the timeout is a 408.
#[tokio::test]
async fn a_request_that_takes_longer_than_the_time_limit_is_a_408() {
    let api = Api::new("slow").timeout(Duration::from_millis(300)).route(slow);
    let app = TestApp::with_api(api).await;
    let started = Instant::now();
    let answer = app.get("/slow?sleep=1").await.expect(408);
    assert!(answer.json()["message"].is_string());
    let mut raw = RawConnection::connect(app.address).await;
    raw.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
        .await
        .unwrap();
    let head = raw.read_head().await;
    assert!(head.starts_with("HTTP/1.1 408 "), "{head}");
    assert!(started.elapsed() < Duration::from_secs(20));
    app.send(Method::POST, "/slow", Some(("", Bytes::from("12345"))))
        .await
        .expect_json(200, json!({"read": 5}));
}

/// END-14: a client that waits for a shorter time is answered within it, and learns that.
#[tokio::test]
async fn a_client_can_wait_for_a_shorter_time() {
    let api = Api::new("slow").timeout(Duration::from_secs(30)).route(slow);
    let app = TestApp::with_api(api).await;
    let hurried = app.with_header("prefer", "respond-async, wait=1");
    let started = Instant::now();
    let response = hurried.get("/slow?sleep=1").await.expect(408);
    assert!(started.elapsed() < Duration::from_secs(8));
    assert_eq!(response.header("preference-applied"), "wait=1");
    let response = hurried.get("/slow").await.expect(200);
    assert_eq!(response.header("preference-applied"), "wait=1");
    for ignored in ["wait", "wait=0", "wait=-1", "wait=soon"] {
        let response = app.with_header("prefer", ignored).get("/slow").await.expect(200);
        assert_eq!(response.header("preference-applied"), "", "{ignored}");
    }
}

/// END-14: the time of the api is not extended.
#[tokio::test]
async fn a_client_cannot_wait_for_longer_than_the_time_limit() {
    let api = Api::new("slow").timeout(Duration::from_millis(300)).route(slow);
    let app = TestApp::with_api(api).await;
    let started = Instant::now();
    app.with_header("prefer", "wait=1000")
        .get("/slow?sleep=1")
        .await
        .expect(408);
    assert!(started.elapsed() < Duration::from_secs(8));
}

/// END-14: a write that has not ended within the time is undone, also that of the objects before it in a bulk request.
#[tokio::test]
async fn a_write_that_its_client_does_not_wait_for_is_undone() {
    let hour = Duration::from_secs(3600);
    let app = TestApp::with_api(Api::new("jobs").timeout(hour).model_resource::<JobResource>()).await;
    app.post("/jobs", json!({"name": "first"})).await.expect(201);
    let before = app.database().rows();
    let hurried = app.with_header("prefer", "wait=1");
    for body in [
        json!({"name": "endless"}),
        json!([{"name": "second"}, {"name": "endless"}]),
    ] {
        let unfinished = UNFINISHED.load(Ordering::SeqCst);
        // On a busy machine the time may be over before the write.
        while UNFINISHED.load(Ordering::SeqCst) == unfinished {
            let late = hurried.post("/jobs", body.clone()).await.expect(408);
            assert_eq!(late.header("preference-applied"), "wait=1");
            assert_eq!(app.database().rows(), before);
        }
    }
    app.post("/jobs", json!({"name": "second"})).await.expect(201);
}

/// END-14: a write that waits for another one is not made after its client has the answer.
#[tokio::test]
async fn a_write_that_waits_for_a_lock_is_not_made_later() {
    let hour = Duration::from_secs(3600);
    let app = TestApp::with_api(Api::new("jobs").timeout(hour).model_resource::<JobResource>()).await;
    app.post("/jobs", json!({"name": "first"})).await.expect(201);
    let before = app.database().rows();
    let hurried = app.with_header("prefer", "wait=1");
    let lock = app.database().lock(&["jobs"]);
    // At once, since all writes that wait for the lock of another process are refused when the first has waited for long.
    let (created, several, patched, replaced, deleted) = tokio::join!(
        hurried.post("/jobs", json!({"name": "second"})),
        hurried.post("/jobs", json!([{"name": "second"}, {"name": "third"}])),
        hurried.patch("/jobs/1", json!({"name": "changed"})),
        hurried.put("/jobs/1", json!({"name": "changed"})),
        hurried.delete("/jobs/1"),
    );
    for late in [created, several, patched, replaced, deleted] {
        assert_eq!(late.expect(408).header("preference-applied"), "wait=1");
    }
    lock.release();
    // Behind all that still waits.
    app.patch("/jobs/1", json!({"name": "first"})).await.expect(200);
    assert_eq!(app.database().rows(), before);
}
