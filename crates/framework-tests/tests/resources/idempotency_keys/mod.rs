//! Requests with an `Idempotency-Key`, which clients repeat.

mod callers;
mod concurrent;
mod handlers;
mod lifetime;
mod rejected;
mod repeated;
mod unchanged;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::{HeaderValue, StatusCode, header};
use model_resource::{
    Api, CREATE, Context, DELETE, Draft, Error, Model, ModelResource, Operations, PATCH, PUT, Query, Reply,
    Result, Store, model_resource, route,
};
use serde_json::json;
use test_support::{Client, HeaderAuthenticator, TestApp};
use tokio::sync::Semaphore;

/// A permit for each deposit that waits for a permit of `RELEASED`.
static HELD: Semaphore = Semaphore::const_new(0);
static RELEASED: Semaphore = Semaphore::const_new(0);

#[derive(Debug, Clone, Model)]
#[model(table = "accounts")]
struct Account {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
    #[column(default = 0)]
    balance: i64,
}

struct AccountResource;

#[model_resource(Account, "/accounts", "/accounts/<int:id>")]
impl ModelResource for AccountResource {
    const PUBLIC: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
    const FILTER_METHODS: Operations = Operations::of([PATCH, DELETE]);
}

/// A movement of money, which no two requests may make by mistake.
#[derive(Debug, Clone, Model)]
#[model(table = "payments")]
struct Payment {
    #[column(primary_key)]
    id: i64,
    #[column(references = Account, on_delete = cascade)]
    account_id: i64,
    amount: i64,
    #[column(default = "")]
    purpose: String,
}

struct PaymentResource;

#[model_resource(Payment, "/accounts/<int:account_id>/payments", "/payments/<int:id>")]
impl ModelResource for PaymentResource {
    const PUBLIC: bool = true;
    const REQUIRE_IDEMPOTENCY_KEY: bool = true;
}

/// A second view of the payments, whose operation changes the account, too.
struct TransferResource;

#[model_resource(Payment, "/transfers")]
impl ModelResource for TransferResource {
    const PUBLIC: bool = true;
    const INCLUDE_METHODS: Operations = Operations::of([CREATE]);

    async fn create(mut cx: Context, payment: Draft<Payment>) -> Result<Reply> {
        let account = payment.get(Payment::ACCOUNT_ID).unwrap_or_default();
        let amount = payment.get(Payment::AMOUNT).unwrap_or_default();
        cx.begin().await?;
        let account: Option<Account> = cx.store_unchecked().get(account).await?;
        let account = account.ok_or_else(Error::not_found)?;
        let balance = account.balance + amount;
        let mut changed = Draft::of(&account);
        changed.set(Account::BALANCE, balance);
        cx.store_unchecked().save(changed).await?;
        if balance < 0 {
            return Err(Error::conflict("The account is empty."));
        }
        let reply = cx.created(payment).await?;
        cx.commit().await?;
        Ok(reply)
    }
}

async fn deposit(store: &Store, amount: i64) -> Result<i64> {
    let account: Option<Account> = store.first(&Query::new()).await?;
    let account = account.ok_or_else(Error::not_found)?;
    let balance = account.balance + amount;
    let mut draft = Draft::of(&account);
    draft.set(Account::BALANCE, balance);
    store.save(draft).await?;
    Ok(balance)
}

/// Deposits 1, and answers as the URL says.
#[route("/deposit/<kind>", methods = [POST])]
async fn deposit_one(cx: Context) -> Result<Reply> {
    let kind: String = cx.param("kind")?;
    if kind == "held" {
        HELD.add_permits(1);
        RELEASED.acquire().await.expect("it is never closed").forget();
    }
    let balance = deposit(cx.store_unchecked(), 1).await?;
    let reply = Reply::json(&json!({ "balance": balance }))?;
    match kind.as_str() {
        "plain" | "held" => Ok(reply),
        "cookie" => Ok(reply.with_header(header::SET_COOKIE, HeaderValue::from_static("session=1"))),
        "secret" => Ok(reply.with_header(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))),
        "refused" => Ok(reply.with_status(StatusCode::PAYMENT_REQUIRED)),
        "broken" => Ok(reply.with_status(StatusCode::BAD_GATEWAY)),
        "failed" => Err(Error::conflict("Not today.")),
        "slow" => {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(reply)
        }
        "stuck" => std::future::pending().await,
        "large" => Reply::json(&json!({ "balance": balance, "text": "x".repeat(300_000) })),
        _ => Err(Error::not_found()),
    }
}

/// Answers each call with another number, and writes nothing.
#[route("/ticket", methods = [POST])]
async fn ticket() -> Result<Reply> {
    static LAST: AtomicU32 = AtomicU32::new(0);
    Reply::json(&json!({ "number": LAST.fetch_add(1, Ordering::Relaxed) }))
}

fn api() -> Api {
    Api::new("keys")
        .anonymous_write_rate(None)
        .authenticator(HeaderAuthenticator)
        .model_resource::<AccountResource>()
        .model_resource::<PaymentResource>()
        .model_resource::<TransferResource>()
        .route(deposit_one)
        .route(ticket)
}

/// Starts the api with an account.
async fn served() -> TestApp {
    let app = TestApp::with_api(api()).await;
    app.post("/accounts", json!({"name": "Ann", "balance": 100}))
        .await
        .expect(201);
    app
}

fn keyed(client: &Client, key: &str) -> Client {
    client.with_header("idempotency-key", key)
}

async fn balance(app: &TestApp) -> i64 {
    let account = app.get("/accounts/1").await.expect(200).json();
    account["balance"].as_i64().unwrap()
}
