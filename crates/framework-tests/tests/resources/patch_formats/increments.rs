use futures_util::future::join_all;
use model_resource::{Api, Columns, Decimal, Model, ModelResource, Operations, PATCH, model_resource};
use serde_json::json;
use test_support::TestApp;

use super::{json_patch, merge_patch};

#[derive(Debug, Clone, Model)]
#[model(table = "counters")]
struct Counter {
    #[column(primary_key)]
    id: i64,
    #[column(default = 0, min = 0, max = 100)]
    hits: i64,
    #[column(default = 0.0)]
    ratio: f64,
    #[column(precision = 8, scale = 2, default = "0")]
    price: Decimal,
    limit: Option<i64>,
    #[column(default = 0)]
    plain: i64,
}

struct CounterResource;

#[model_resource(Counter, "/counters", "/counters/<int:id>")]
impl ModelResource for CounterResource {
    const BULK_METHODS: Operations = Operations::of([PATCH]);
    const INCREMENT: Columns<Counter> = Columns::of(Counter::HITS)
        .and(Counter::RATIO)
        .and(Counter::PRICE)
        .and(Counter::LIMIT);
}

async fn served() -> TestApp {
    let app = TestApp::with_api(Api::new("counters").model_resource::<CounterResource>()).await;
    for _ in 0..2 {
        app.post("/counters", json!({"hits": 1, "price": "1.50"}))
            .await
            .expect(201);
    }
    app
}

/// PAT-6
#[tokio::test]
async fn a_patch_increments_the_named_fields() {
    let app = served().await;
    let patch = json!({
        "hits": {"$increment": 2}, "ratio": {"$increment": 0.5}, "price": {"$increment": "-0.25"}, "plain": 7
    });
    let counter = app.patch("/counters/1", patch).await.expect(200).json();
    assert_eq!((&counter["hits"], &counter["ratio"]), (&json!(3), &json!(0.5)));
    assert_eq!(
        (&counter["price"], &counter["plain"]),
        (&json!("1.25"), &json!(7))
    );
    let merged = merge_patch(&app, "/counters/1", json!({"plain": 8}))
        .await
        .expect(200)
        .json();
    assert_eq!((&merged["hits"], &merged["plain"]), (&json!(3), &json!(8)));

    let before = app.database().rows();
    for patch in [
        json!({"hits": {"$increment": 98}}),
        json!({"hits": {"$increment": -4}}),
        json!({"hits": {"$increment": i64::MAX}}),
        json!({"hits": {"$increment": "2"}}),
        json!({"hits": {"$increment": null}}),
        json!({"hits": {"$increment": 1, "$other": 2}}),
        json!({"limit": {"$increment": 1}}),
        json!({"plain": {"$increment": 1}}),
        json!({"price": {"$increment": "0.001"}}),
    ] {
        let refused = app.patch("/counters/1", patch.clone()).await;
        assert_eq!(refused.status, 400, "{patch}: {}", refused.text());
    }
    app.put("/counters/1", json!({"hits": {"$increment": 1}}))
        .await
        .expect(400);
    app.post("/counters", json!({"hits": {"$increment": 1}}))
        .await
        .expect(400);
    assert_eq!(app.database().rows(), before);
    app.patch("/counters/9", json!({"hits": {"$increment": 1}}))
        .await
        .expect(404);
}

/// PAT-6
#[tokio::test]
async fn concurrent_increments_all_count() {
    let app = served().await;
    let client = &app.client;
    let increments = (0..60).map(|number| async move {
        match number % 3 {
            0 => {
                client
                    .patch("/counters/1", json!({"hits": {"$increment": 1}}))
                    .await
            }
            1 => {
                let both = json!([{"id": 2, "plain": number}, {"id": 1, "hits": {"$increment": 1}}]);
                client.patch("/counters", both).await
            }
            _ => {
                let keyed = client.with_header("idempotency-key", &number.to_string());
                let patch = json!({"hits": {"$increment": 1}});
                let first = keyed.patch("/counters/1", patch.clone()).await.expect(200);
                let second = keyed.patch("/counters/1", patch).await.expect(200);
                assert_eq!(first.body, second.body);
                second
            }
        }
        .expect(200)
    });
    join_all(increments).await;
    assert_eq!(app.get("/counters/1").await.json()["hits"], 61);
    let add = json!([{"op": "test", "path": "/hits", "value": 61}]);
    json_patch(&app, "/counters/1", add).await.expect(200);
}
