//! `cx.after_commit`: work that runs once the writes of a request are committed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use http::StatusCode;
use model_resource::{
    Api, CREATE, Context, Draft, Error, Model, ModelResource, Operations, Reply, Result, Server, Store,
    model_resource, route,
};
use serde_json::json;
use test_support::TestApp;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

#[derive(Debug, Clone, Model)]
#[model(table = "parcels")]
struct Parcel {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    label: String,
}

/// Messages that were sent after a commit.
#[derive(Clone, Default)]
struct Outbox(Arc<Mutex<Vec<String>>>);

impl Outbox {
    fn send(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }

    /// Waits for the work of the requests before, and returns the messages.
    async fn sent(&self) -> Vec<String> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

fn announce(cx: &Context, message: &str) {
    let outbox = cx.state::<Outbox>().unwrap().clone();
    let message = message.to_owned();
    cx.after_commit(async move {
        outbox.send(&message);
    });
}

struct ParcelResource;

#[model_resource(Parcel, "/parcels", "/parcels/<int:id>")]
impl ModelResource for ParcelResource {
    const PUBLIC: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    async fn create(cx: Context, parcel: Draft<Parcel>) -> Result<Reply> {
        // Before the write, which may fail.
        announce(&cx, &parcel.get(Parcel::LABEL).unwrap_or_default());
        cx.created(parcel).await
    }
}

fn parcel(label: &str) -> Draft<Parcel> {
    Draft::new().with(Parcel::LABEL, label.to_owned())
}

/// Commits one parcel, begins a second without a commit, and answers with the status of the URL.
#[route("/steps/<int:status>", methods = [POST])]
async fn steps(mut cx: Context) -> Result<Reply> {
    announce(&cx, "outside");
    cx.begin().await?;
    cx.create(parcel("first")).await?;
    announce(&cx, "first");
    cx.commit().await?;
    cx.begin().await?;
    cx.create(parcel("second")).await?;
    announce(&cx, "second");
    match cx.params().get("status") {
        Some("200") => Ok(Reply::no_content()),
        Some("500") => Err(Error::internal("as the test asks")),
        Some("0") => panic!("as the test asks"),
        status => {
            let status = status.and_then(|status| status.parse().ok()).unwrap();
            Ok(Reply::no_content().with_status(StatusCode::from_u16(status).unwrap()))
        }
    }
}

fn api(outbox: &Outbox) -> Api {
    Api::new("post")
        .model_resource::<ParcelResource>()
        .route(steps)
        .with_state(outbox.clone())
}

async fn post_office() -> (TestApp, Outbox) {
    let outbox = Outbox::default();
    (TestApp::with_api(api(&outbox)).await, outbox)
}

/// CMT-1: work runs after a write that succeeds, and not after one that fails.
#[tokio::test]
async fn work_runs_if_the_request_succeeds() {
    let (app, outbox) = post_office().await;
    app.post("/parcels", json!({"label": "a"})).await.expect(201);
    assert_eq!(outbox.sent().await, ["a"]);
    app.post("/parcels", json!({"label": "a"})).await.expect(400);
    assert_eq!(outbox.sent().await, [""; 0]);
}

/// CMT-1: the work of a bulk request runs in the order of its objects, or not at all.
#[tokio::test]
async fn the_work_of_a_bulk_request_runs_if_all_objects_are_written() {
    let (app, outbox) = post_office().await;
    let many = json!([{"label": "a"}, {"label": "b"}, {"label": "c"}]);
    app.post("/parcels", many).await.expect(201);
    assert_eq!(outbox.sent().await, ["a", "b", "c"]);
    app.post("/parcels", json!([{"label": "d"}, {"label": "a"}]))
        .await
        .expect(400);
    assert_eq!(outbox.sent().await, [""; 0]);
}

/// CMT-2: work in a transaction runs if that is committed, whatever the request answers, and not if it is dropped.
#[tokio::test]
async fn work_in_a_transaction_waits_for_its_commit() {
    for (status, expected, sent) in [
        (200, 204, vec!["outside", "first"]),
        (409, 409, vec!["first"]),
        (500, 500, vec!["first"]),
        (0, 500, vec!["first"]),
    ] {
        let (app, outbox) = post_office().await;
        app.post(&format!("/steps/{status}"), json!({}))
            .await
            .expect(expected);
        assert_eq!(outbox.sent().await, sent, "{status}");
        assert_eq!(app.database().value::<u32>("SELECT COUNT(*) FROM parcels"), 1);
    }
}

/// CMT-3: with an `Idempotency-Key` everything is one transaction. Its work runs once, or never if it is rolled back.
#[tokio::test]
async fn the_work_of_a_keyed_request_runs_once() {
    let (app, outbox) = post_office().await;
    let keyed = app.with_header("idempotency-key", "\"clerk-17-parcel-4711-first\"");
    keyed.post("/parcels", json!({"label": "a"})).await.expect(201);
    keyed.post("/parcels", json!({"label": "a"})).await.expect(201);
    assert_eq!(outbox.sent().await, ["a"]);
    let keyed = app.with_header("idempotency-key", "\"clerk-17-parcel-4711-steps\"");
    keyed.post("/steps/500", json!({})).await.expect(500);
    assert_eq!(outbox.sent().await, [""; 0]);
    assert_eq!(app.database().value::<u32>("SELECT COUNT(*) FROM parcels"), 1);
    keyed.post("/steps/200", json!({})).await.expect(204);
    assert_eq!(outbox.sent().await, ["outside", "first"]);
}

#[route("/slow", methods = [POST])]
async fn slow(cx: Context) -> Result<Reply> {
    let outbox = cx.state::<Outbox>().unwrap().clone();
    cx.after_commit(async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        outbox.send("slow");
    });
    Ok(Reply::no_content())
}

/// CMT-4: no response waits for the work, and a server that stops does.
#[tokio::test]
async fn a_server_that_stops_waits_for_the_work() {
    let outbox = Outbox::default();
    let store = Store::open("sqlite::memory:").await.unwrap();
    store.create_tables(&api(&outbox).tables()).await.unwrap();
    let router = api(&outbox).route(slow).store(store).init_app(Router::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = test_support::Client::new(listener.local_addr().unwrap());
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(async move {
        let until = async move {
            let _ = stopped.await;
        };
        let server = Server::default().grace_period(Duration::ZERO);
        server.serve(listener, router, until).await;
    });
    client.post("/slow", json!({})).await.expect(204);
    assert!(outbox.0.lock().unwrap().is_empty());
    stop.send(()).unwrap();
    server.await.unwrap();
    assert_eq!(*outbox.0.lock().unwrap(), ["slow"]);
}
