//! Concurrent requests that write the same rows in opposite orders.

use std::collections::BTreeSet;

use model_resource::{
    Api, CREATE, Caller, DELETE, Model, ModelPolicy, ModelResource, Operations, PATCH, PUT, Where,
    model_resource,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

const ROWS: i64 = 40;
const ROUNDS: usize = 8;

#[derive(Debug, Clone, Model)]
#[model(table = "owners")]
struct Owner {
    #[column(primary_key)]
    id: i64,
    is_public: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "seats")]
struct Seat {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    code: String,
    visitor: i64,
    #[column(references = Owner)]
    owner_id: Option<i64>,
}

struct OwnerResource;

#[model_resource(Owner, "/owners", "/owners/<int:id>")]
impl ModelResource for OwnerResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

struct SeatResource;

#[model_resource(Seat, "/seats", "/seats/<int:id>")]
impl ModelResource for SeatResource {
    const PUBLIC: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
}

struct CodeResource;

#[model_resource(Seat, "/codes", "/codes/<code>")]
impl ModelResource for CodeResource {
    const PUBLIC: bool = true;
    const BULK_METHODS: Operations = Operations::of([PATCH, DELETE]);
}

/// Hides some rows, so that references to them are checked.
struct OwnerPolicy;

impl ModelPolicy for OwnerPolicy {
    type Model = Owner;

    fn visible(_: &Caller) -> Where<Owner> {
        Owner::IS_PUBLIC.eq(true)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

async fn theatre() -> TestApp {
    let api = Api::new("theatre")
        .authenticator(HeaderAuthenticator)
        .anonymous_write_rate(None)
        .model_resource::<OwnerResource>()
        .policy::<OwnerPolicy>()
        .model_resource::<SeatResource>()
        .model_resource::<CodeResource>();
    let app = TestApp::with_api(api).await;
    let owners: Vec<Value> = (1..=ROWS).map(|_| json!({"isPublic": true})).collect();
    app.post("/owners", json!(owners)).await.expect(201);
    app.post("/seats", seats(|_| Value::Null)).await.expect(201);
    app
}

/// Returns new seats in the order of their numbers.
fn seats(owner: impl Fn(i64) -> Value) -> Value {
    let seat = |number: i64| json!({"code": format!("s{number}"), "visitor": 0, "ownerId": owner(number)});
    (1..=ROWS).map(seat).collect()
}

/// Sends requests in both orders concurrently, round by round, and returns the statuses.
async fn in_contrary_orders<F>(client: &Client, rounds: usize, send: F) -> BTreeSet<u16>
where
    F: AsyncFn(Client, Vec<i64>, i64) -> u16,
{
    let forward: Vec<i64> = (1..=ROWS).collect();
    let backward: Vec<i64> = (1..=ROWS).rev().collect();
    let mut statuses = BTreeSet::new();
    for round in 0..rounds {
        let visitor = |number: usize| (round * 4 + number) as i64;
        let sent = tokio::join!(
            send(client.clone(), forward.clone(), visitor(0)),
            send(client.clone(), backward.clone(), visitor(1)),
            send(client.clone(), forward.clone(), visitor(2)),
            send(client.clone(), backward.clone(), visitor(3)),
        );
        statuses.extend([sent.0, sent.1, sent.2, sent.3]);
    }
    statuses
}

/// DB-9: requests that change the same rows in opposite orders wait for each other, and each is applied as a whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn updates_in_opposite_orders_wait_for_each_other() {
    let app = theatre().await;
    let patched = in_contrary_orders(&app, ROUNDS, async |client, ids, visitor| {
        let seat = |id: &i64| json!({"id": id, "visitor": visitor});
        let body: Value = ids.iter().map(seat).collect();
        client.patch("/seats", body).await.status.as_u16()
    });
    assert_eq!(patched.await, BTreeSet::from([200]));
    let put = in_contrary_orders(&app, ROUNDS, async |client, ids, visitor| {
        let seat = |id: &i64| json!({"id": id, "code": format!("s{id}"), "visitor": visitor});
        let body: Value = ids.iter().map(seat).collect();
        client.put("/seats", body).await.status.as_u16()
    });
    assert_eq!(put.await, BTreeSet::from([200]));
    let by_code = in_contrary_orders(&app, ROUNDS, async |client, ids, visitor| {
        let seat = |id: &i64| json!({"code": format!("s{id}"), "visitor": visitor});
        let body: Value = ids.iter().map(seat).collect();
        client.patch("/codes", body).await.status.as_u16()
    });
    assert_eq!(by_code.await, BTreeSet::from([200]));
    let visitors: i64 = app.database().value("SELECT count(DISTINCT visitor) FROM seats");
    assert_eq!(visitors, 1, "one request was the last for all rows");
}

/// DB-9: of requests that delete the same rows in opposite orders, one deletes all of them and the others find none.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn deletions_in_opposite_orders_wait_for_each_other() {
    let app = theatre().await;
    for _ in 0..ROUNDS {
        let deleted = in_contrary_orders(&app, 1, async |client, ids, _| {
            let keys: Vec<String> = ids.iter().map(|id| format!("code=s{id}")).collect();
            let deleted = client.delete(&format!("/codes?{}", keys.join("&"))).await;
            deleted.status.as_u16()
        });
        assert_eq!(deleted.await, BTreeSet::from([204, 404]));
        let left: i64 = app.database().value("SELECT count(*) FROM seats");
        assert_eq!(left, 0);
        app.post("/seats", seats(|_| Value::Null)).await.expect(201);
    }
}

/// DB-9: the check that the caller sees referenced rows does not lock them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn references_in_opposite_orders_do_not_lock_each_other() {
    let app = theatre().await;
    let created = in_contrary_orders(&app, ROUNDS, async |client, ids, visitor| {
        let seat = |id: &i64| json!({"code": format!("{visitor}-{id}"), "visitor": visitor, "ownerId": id});
        let body: Value = ids.iter().map(seat).collect();
        client.post("/seats", body).await.status.as_u16()
    });
    assert_eq!(created.await, BTreeSet::from([201]));
}

/// LOAD-73: requests that create rows with the same unique values in opposite orders would deadlock on PostgreSQL. Those
/// that the database undoes are repeated: one creates all rows, and the others are rejected because their values are
/// taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn creations_in_opposite_orders_are_repeated() {
    let app = theatre().await;
    for round in 0..3 {
        let created = in_contrary_orders(&app, 1, async |client, ids, visitor| {
            let seat = |id: &i64| json!({"code": format!("{round}-{id}"), "visitor": visitor});
            let body: Value = ids.iter().map(seat).collect();
            client.post("/seats", body).await.status.as_u16()
        });
        assert_eq!(created.await, BTreeSet::from([201, 400]));
        let sql = format!("SELECT count(DISTINCT visitor) FROM seats WHERE code LIKE '{round}-%'");
        let creators: i64 = app.database().value(&sql);
        assert_eq!(creators, 1);
    }
}

/// LOAD-73: requests that swap unique values of the same rows are repeated as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn renamed_rows_in_opposite_orders_are_repeated() {
    let app = theatre().await;
    // Each half of the rows takes names that the other half's requests take in the opposite order.
    let patched = in_contrary_orders(&app, 3, async |client, ids, visitor| {
        let half = visitor % 2;
        let ids = ids.iter().filter(|id| **id % 2 == half);
        let seat = |id: &i64| json!({"id": id, "code": format!("name {}", id / 2), "visitor": visitor});
        let body: Value = ids.map(seat).collect();
        client.patch("/seats", body).await.status.as_u16()
    });
    let statuses = patched.await;
    assert!(statuses.is_subset(&BTreeSet::from([200, 400])), "{statuses:?}");
}

/// DB-9: a key that no row can have, or a duplicate key, is answered as before.
#[tokio::test]
async fn a_missing_key_in_a_bulk_request_is_reported_under_its_index() {
    let app = theatre().await;
    let before = app.database().rows();
    let refused = app
        .patch(
            "/seats",
            json!([{"id": 2, "visitor": 1}, {"id": 4_000_000_000_i64, "visitor": 1}]),
        )
        .await
        .expect(404)
        .json();
    assert!(refused["errors"]["1"].is_object(), "{refused}");
    assert!(refused["errors"].get("0").is_none(), "{refused}");
    app.delete("/seats?id=1&id=x").await.expect(404);
    app.delete("/seats?id=1&id=1").await.expect(404);
    assert_eq!(app.database().rows(), before);
    app.patch(
        "/seats",
        json!([{"id": 1, "visitor": 1}, {"id": 1, "visitor": 2}]),
    )
    .await
    .expect(200);
    app.delete("/seats?id=2&id=1").await.expect(204);
}
