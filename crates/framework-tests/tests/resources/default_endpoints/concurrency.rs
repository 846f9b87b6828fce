//! Concurrent updates of one row.

use std::sync::Arc;

use model_resource::{
    Api, Context, Draft, Errors, FromContext, Model, ModelResource, ModelSerializer, Reply, Result,
    WriteMode, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// An interval whose low end must not exceed its high end.
#[derive(Debug, Clone, Model)]
struct Band {
    #[column(primary_key)]
    id: i64,
    low: i64,
    high: i64,
    #[column(default = "")]
    note: String,
}

struct BandSerializer;

#[serializer]
impl ModelSerializer for BandSerializer {
    type Model = Band;

    fn validate(band: &Draft<Band>, _: WriteMode, errors: &mut Errors) {
        if band.get(Band::LOW) > band.get(Band::HIGH) {
            errors.add_object("Low must not be above high.");
        }
    }
}

#[model_resource(Band, "/bands", "/bands/<int:id>")]
struct BandResource;

/// Pauses a request between loading and saving, if its headers ask for it.
#[derive(Clone)]
struct Gate {
    arrived: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Gate {
    fn new() -> Self {
        Self {
            arrived: Arc::new(Semaphore::new(0)),
            open: Arc::new(Semaphore::new(0)),
        }
    }

    async fn wait(&self) {
        self.arrived.add_permits(1);
        self.open.acquire().await.unwrap().forget();
    }
}

struct GatedResource;

/// The gate of a request that pauses, if any.
struct Waiting(Option<Gate>);

impl FromContext for Waiting {
    async fn from_context(cx: &mut Context) -> Result<Self> {
        if !cx.headers().contains_key("x-wait") {
            return Ok(Self(None));
        }
        Ok(Self(cx.extension::<Gate>().cloned()))
    }
}

#[model_resource(Band, "/gated", "/gated/<int:id>")]
impl ModelResource for GatedResource {
    async fn put(cx: Context, band: Draft<Band>, errors: Errors, gate: Waiting) -> Result<Reply> {
        Self::save(cx, band, errors, gate).await
    }

    async fn patch(cx: Context, band: Draft<Band>, errors: Errors, gate: Waiting) -> Result<Reply> {
        Self::save(cx, band, errors, gate).await
    }

    #[helper]
    async fn save(cx: Context, band: Draft<Band>, errors: Errors, Waiting(gate): Waiting) -> Result<Reply> {
        if let Some(gate) = gate {
            gate.wait().await;
        }
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        cx.updated(band).await
    }
}

/// An interval without a check of both ends.
#[derive(Debug, Clone, Model)]
struct Pair {
    #[column(primary_key)]
    id: i64,
    left: i64,
    right: i64,
}

struct PairResource;

#[model_resource(Pair, "/pairs", "/pairs/<int:id>")]
impl ModelResource for PairResource {
    async fn put(cx: Context, pair: Draft<Pair>, Waiting(gate): Waiting) -> Result<Reply> {
        if let Some(gate) = gate {
            gate.wait().await;
        }
        cx.updated(pair).await
    }
}

async fn app(gate: &Gate) -> TestApp {
    let gate = gate.clone();
    let insert = move |mut cx: Context, next: model_resource::Next| {
        cx.insert_extension(gate.clone());
        next.run(cx)
    };
    let api = Api::new("bands")
        .decorator(insert)
        .serializer::<BandSerializer>()
        .model_resource::<BandResource>()
        .model_resource::<GatedResource>()
        .model_resource::<PairResource>();
    TestApp::with_api(api).await
}

/// END-10: concurrent patches of two fields never violate a check over both, and each response is a state that existed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_patches_never_violate_a_check_over_two_fields() {
    let app = app(&Gate::new()).await;
    app.post("/bands", json!({"low": 0, "high": 100}))
        .await
        .expect(201);
    let mut tasks = JoinSet::new();
    for number in 0..200 {
        let client = app.client.clone();
        tasks.spawn(async move {
            let value = number * 37 % 101;
            let field = if number % 2 == 0 { "low" } else { "high" };
            let answer = client.patch("/bands/1", json!({field: value})).await;
            match answer.status.as_u16() {
                200 => {
                    let band = answer.json();
                    assert_eq!(band[field], value);
                    assert!(band["low"].as_i64() <= band["high"].as_i64(), "{band}");
                    1
                }
                400 => {
                    assert_eq!(
                        answer.json(),
                        json!({"errors": {"_schema": ["Low must not be above high."]}})
                    );
                    0
                }
                other => panic!("{other}: {}", answer.text()),
            }
        });
    }
    let done: u32 = tasks.join_all().await.into_iter().sum();
    assert!(done > 0);
    let band = app.get("/bands/1").await.expect(200).json();
    assert!(band["low"].as_i64() <= band["high"].as_i64(), "{band}");
}

/// END-10: concurrent patches of different fields do not overwrite each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_patches_of_different_fields_do_not_overwrite_each_other() {
    let app = app(&Gate::new()).await;
    app.post("/bands", json!({"low": -1000, "high": 1000}))
        .await
        .expect(201);
    let mut tasks = JoinSet::new();
    for field in ["low", "high", "note"] {
        let client = app.client.clone();
        tasks.spawn(async move {
            for number in 1..=50 {
                let value = match field {
                    "low" => json!(-number),
                    "high" => json!(number),
                    _ => json!(format!("note {number}")),
                };
                let answer = client.patch("/bands/1", json!({field: value})).await;
                assert_eq!(answer.expect(200).json()[field], value);
            }
        });
    }
    tasks.join_all().await;
    app.get("/bands/1")
        .await
        .expect_json(200, json!({"id": 1, "low": -50, "high": 50, "note": "note 50"}));
}

/// Sends a request that pauses after loading, runs `other` meanwhile, and returns the response.
async fn meanwhile(
    app: &TestApp,
    gate: &Gate,
    request: (&str, &str, Value),
    other: impl AsyncFnOnce(),
) -> (u16, Value) {
    let waiting = app.client.with_header("x-wait", "1");
    let (method, path, body) = (request.0.parse().unwrap(), request.1.to_owned(), request.2);
    let answer = tokio::spawn(async move { waiting.send_json(method, &path, body).await });
    gate.arrived.acquire().await.unwrap().forget();
    other().await;
    gate.open.add_permits(1);
    let answer = answer.await.unwrap();
    (answer.status.as_u16(), answer.json())
}

/// END-10: a patch is validated against the row at the time of the write, not of the load.
#[tokio::test]
async fn a_patch_is_validated_against_the_row_that_it_changes() {
    let gate = Gate::new();
    let app = app(&gate).await;
    app.post("/bands", json!({"low": 0, "high": 10}))
        .await
        .expect(201);
    let lower = async || {
        app.patch("/bands/1", json!({"high": 5})).await.expect(200);
    };
    let (status, body) = meanwhile(&app, &gate, ("PATCH", "/gated/1", json!({"low": 8})), lower).await;
    assert_eq!(
        (status, body),
        (
            400,
            json!({"errors": {"_schema": ["Low must not be above high."]}})
        )
    );
    app.get("/bands/1")
        .await
        .expect_json(200, json!({"id": 1, "low": 0, "high": 5, "note": ""}));

    let note = async || {
        app.patch("/bands/1", json!({"note": "kept"})).await.expect(200);
    };
    let (status, body) = meanwhile(&app, &gate, ("PATCH", "/gated/1", json!({"low": 4})), note).await;
    assert_eq!(
        (status, body),
        (200, json!({"id": 1, "low": 4, "high": 5, "note": "kept"}))
    );
}

/// END-10: of two concurrent puts one wins as a whole; unchanged values are written too.
#[tokio::test]
async fn concurrent_puts_never_mix() {
    let gate = Gate::new();
    let app = app(&gate).await;
    app.post("/pairs", json!({"left": 1, "right": 0}))
        .await
        .expect(201);
    let other = async || {
        app.put("/pairs/1", json!({"left": 2, "right": 2}))
            .await
            .expect(200);
    };
    let put = ("PUT", "/pairs/1", json!({"left": 1, "right": 1}));
    let (status, body) = meanwhile(&app, &gate, put, other).await;
    assert_eq!((status, body), (200, json!({"id": 1, "left": 1, "right": 1})));
    app.get("/pairs/1")
        .await
        .expect_json(200, json!({"id": 1, "left": 1, "right": 1}));
}

/// END-10: an update of a concurrently deleted row is a 404 and does not restore it.
#[tokio::test]
async fn an_update_of_a_row_deleted_meanwhile_is_not_found() {
    let gate = Gate::new();
    let app = app(&gate).await;
    app.post("/bands", json!({"low": 0, "high": 10}))
        .await
        .expect(201);
    app.post("/pairs", json!({"left": 0, "right": 0}))
        .await
        .expect(201);
    let delete = async || {
        app.delete("/bands/1").await.expect(204);
        app.delete("/pairs/1").await.expect(204);
    };
    let patch = ("PATCH", "/gated/1", json!({"low": 8}));
    assert_eq!(meanwhile(&app, &gate, patch, delete).await.0, 404);
    app.get("/bands").await.expect_json(200, json!([]));

    app.post("/pairs", json!({"left": 0, "right": 0}))
        .await
        .expect(201);
    let delete = async || {
        app.delete("/pairs/2").await.expect(204);
    };
    let put = ("PUT", "/pairs/2", json!({"left": 1, "right": 1}));
    assert_eq!(meanwhile(&app, &gate, put, delete).await.0, 404);
    app.get("/pairs").await.expect_json(200, json!([]));
}
