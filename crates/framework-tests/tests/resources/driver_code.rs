//! An application's own statements, by tokio-postgres or rusqlite, in the transactions of requests.

use axum::extract::State;
use axum::routing::post;
use model_resource::store::StoreResult;
use model_resource::{
    Api, Change, Context, Draft, Error, Model, ModelResource, Reply, Result, SqlDialect, StatusCode, Store,
    model_resource, route,
};
use serde_json::json;
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "orders")]
struct Order {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    number: String,
}

struct OrderResource;

#[model_resource(Order, "/orders", "/orders/<int:id>")]
impl ModelResource for OrderResource {
    const PUBLIC: bool = true;
}

const INSERT: &str = "INSERT INTO ledger (entry) VALUES ($1)";

/// Writes to a table that is no model.
async fn enter(store: &Store, entry: &str) -> StoreResult<()> {
    match store.dialect() {
        SqlDialect::Sqlite => {
            let entry = entry.to_owned();
            store
                .sqlite_write(move |connection| connection.execute(INSERT, [entry]))
                .await?;
        }
        SqlDialect::Postgres => {
            store.postgres().await?.execute(INSERT, &[&entry]).await?;
        }
    }
    Ok(())
}

async fn enter_order(cx: Context, change: Change<Order>) -> Result<()> {
    enter(cx.store_unchecked(), &change.row().number).await?;
    Ok(())
}

/// Writes an order and an entry in one transaction, and fails if the URL says so.
#[route("/both/<number>/<end>", methods = [POST])]
async fn both(mut cx: Context) -> Result<Reply> {
    let number: String = cx.param("number")?;
    cx.begin().await?;
    cx.create(Draft::<Order>::new().with(Order::NUMBER, number.clone()))
        .await?;
    enter(cx.store_unchecked(), &format!("{number} again")).await?;
    if cx.params().get("end") == Some("fail") {
        return Err(Error::conflict("as the test asks"));
    }
    cx.commit().await?;
    Ok(Reply::no_content())
}

/// A handler of axum that is no part of the api.
async fn by_hand(State(store): State<Store>) -> std::result::Result<(), StatusCode> {
    enter(&store, "by hand").await.map_err(|_| StatusCode::CONFLICT)
}

async fn shop() -> TestApp {
    let api = Api::new("shop")
        .model_resource::<OrderResource>()
        .route(both)
        .on_change(enter_order);
    let app = TestApp::with_router(&api.tables(), |store| {
        let own = axum::Router::new().route("/by-hand", post(by_hand));
        api.store(store.clone()).init_app(own.with_state(store))
    })
    .await;
    app.database().execute("CREATE TABLE ledger (entry TEXT UNIQUE)");
    app
}

/// Numbers of orders and of entries.
fn counts(app: &TestApp) -> (u32, u32) {
    let count = |table: &str| app.database().value(&format!("SELECT count(*) FROM {table}"));
    (count("orders"), count("ledger"))
}

/// DRV-2: statements of a subscriber are part of the write, and their error is the response.
#[tokio::test]
async fn statements_of_a_subscriber_are_committed_with_the_write() {
    let app = shop().await;
    app.post("/orders", json!({"number": "1"})).await.expect(201);
    assert_eq!(counts(&app), (1, 1));
    app.database().execute("INSERT INTO ledger (entry) VALUES ('2')");
    app.post("/orders", json!({"number": "2"})).await.expect(400);
    assert_eq!(counts(&app), (1, 2));
    app.post("/orders", json!({"number": "3"})).await.expect(201);
    assert_eq!(counts(&app), (2, 3));
}

/// DRV-2: statements between `cx.begin` and `cx.commit` are part of that transaction.
#[tokio::test]
async fn statements_of_a_handler_are_committed_with_its_transaction() {
    let app = shop().await;
    app.post("/both/1/fail", json!({})).await.expect(409);
    assert_eq!(counts(&app), (0, 0));
    app.post("/both/1/commit", json!({})).await.expect(204);
    assert_eq!(counts(&app), (1, 2));
}

/// DRV-2: they are part of a request with an `Idempotency-Key`, and of a dry run, which writes nothing.
#[tokio::test]
async fn statements_of_repeated_requests_and_dry_runs_are_part_of_them() {
    let app = shop().await;
    let repeated = app.with_header("idempotency-key", "a");
    for _ in 0..2 {
        repeated.post("/both/1/commit", json!({})).await.expect(204);
        assert_eq!(counts(&app), (1, 2));
    }
    let dry = app.with_header("prefer", "dry-run");
    dry.post("/orders", json!({"number": "2"})).await.expect(201);
    dry.post("/both/3/commit", json!({})).await;
    assert_eq!(counts(&app), (1, 2));
}

/// DRV-1: handlers beside the api use the connections of the same store.
#[tokio::test]
async fn handlers_beside_the_api_share_the_store() {
    let app = shop().await;
    let writes = app.store.writes();
    app.post("/by-hand", json!({})).await.expect(200);
    assert_eq!(counts(&app), (0, 1));
    assert_eq!(app.store.writes(), writes + 1);
    app.post("/by-hand", json!({})).await.expect(409);
    assert_eq!(counts(&app), (0, 1));
}
