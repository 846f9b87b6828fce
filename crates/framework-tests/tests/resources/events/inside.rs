//! Subscribers inside the transaction of a write.

use std::sync::Arc;
use std::time::Duration;

use model_resource::{
    Api, Caller, Change, Context, Draft, Error, Errors, Model, ModelPolicy, ModelResource, Result, Store,
    Where, model_resource,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};
use tokio::sync::Barrier;

use super::{Heard, Loan, Remark, api, loan_text};

/// Remarks on every change of a loan, and rejects copies of a name.
async fn remark(cx: Context, change: Change<Loan>) -> Result<()> {
    let loan = change.row();
    if loan.copy == "forbidden" {
        let errors = Errors::field("copy", "Is not lent.");
        return Err(Error::invalid(errors));
    }
    if let Change::Deleted(_) = change {
        return Ok(());
    }
    let text = loan_text(&change);
    cx.create(
        Draft::<Remark>::new()
            .with(Remark::LOAN_ID, loan.id)
            .with(Remark::TEXT, text.clone()),
    )
    .await?;
    let heard = cx.state::<Heard>().unwrap().clone();
    cx.after_commit(async move { heard.add(format!("after {text}")) });
    Ok(())
}

/// Hears of remarks, also of those that other subscribers make.
async fn count_remarks(cx: Context, change: Change<Remark>) -> Result<()> {
    if let Change::Created(remark) = &change {
        let found: Option<Remark> = cx.find(remark.id).await?;
        assert_eq!(found.unwrap().text, remark.text);
        cx.state::<Heard>()
            .unwrap()
            .add(format!("remark {}", remark.text));
    }
    Ok(())
}

async fn remarking() -> (TestApp, Heard) {
    let heard = Heard::default();
    let after = heard.clone();
    let api = api()
        .with_state(heard.clone())
        .on_change(remark)
        .on_change(count_remarks)
        .after_change(move |_, change: Change<Remark>| {
            after.add(format!("committed {}", change.row().text));
            async { Ok(()) }
        });
    (TestApp::with_api(api).await, heard)
}

fn remarks(app: &TestApp) -> u32 {
    app.database().value("SELECT COUNT(*) FROM remarks")
}

/// EVT-3: a subscriber writes in the transaction of the write, and other subscribers hear of that.
#[tokio::test]
async fn a_subscriber_writes_in_the_transaction() {
    let (app, heard) = remarking().await;
    let loan = app.post("/loans", json!({"copy": "a"})).await.expect(201).json();
    let created = [
        "remark Loan a/0 created",
        "committed Loan a/0 created",
        "after Loan a/0 created",
    ];
    assert_eq!(heard.take(3).await, created);
    let url = format!("/loans/{}", loan["id"]);
    let tag = app.get(&url).await.expect(200).header("etag").to_owned();
    app.with_header("if-match", &tag)
        .patch(&url, json!({"days": 2}))
        .await
        .expect(200);
    let updated = [
        "remark Loan a/0 -> a/2: days",
        "committed Loan a/0 -> a/2: days",
        "after Loan a/0 -> a/2: days",
    ];
    assert_eq!(heard.take(3).await, updated);
    assert_eq!(remarks(&app), 2);
    app.post("/loans", json!([{"copy": "b"}, {"copy": "c"}]))
        .await
        .expect(201);
    let inside = ["remark Loan b/0 created", "remark Loan c/0 created"];
    assert_eq!(heard.take(6).await[..2], inside);
    let keyed = app.with_header("idempotency-key", "\"clerk-17-loan-4711-inside\"");
    keyed.post("/loans", json!({"copy": "d"})).await.expect(201);
    keyed.post("/loans", json!({"copy": "d"})).await.expect(201);
    assert_eq!(heard.take(3).await.len(), 3);
    assert_eq!(remarks(&app), 5);
    app.delete(&url).await.expect(204);
    assert_eq!(remarks(&app), 3);
}

/// EVT-3: the error of a subscriber rolls the write back, and is the answer.
#[tokio::test]
async fn the_error_of_a_subscriber_rolls_the_write_back() {
    let (app, heard) = remarking().await;
    let loan = app.post("/loans", json!({"copy": "a"})).await.expect(201).json();
    heard.take(3).await;
    let before = app.database().rows();
    let errors = json!({"errors": {"copy": ["Is not lent."]}});
    let forbidden = json!({"copy": "forbidden"});
    app.post("/loans", forbidden.clone())
        .await
        .expect_json(400, errors.clone());
    let url = format!("/loans/{}", loan["id"]);
    app.patch(&url, forbidden.clone())
        .await
        .expect_json(400, errors.clone());
    let body = json!({"copy": "forbidden", "remarks": [{"text": "nested"}]});
    app.post("/loans", body).await.expect_json(400, errors);
    let many = app
        .post("/loans", json!([{"copy": "b"}, forbidden.clone()]))
        .await;
    many.expect_json(400, json!({"errors": {"1": {"copy": ["Is not lent."]}}}));
    let keyed = app.with_header("idempotency-key", "\"clerk-17-loan-4711-failed\"");
    keyed.post("/loans", forbidden).await.expect(400);
    assert_eq!(app.database().rows(), before);
    let heard = heard.take(0).await;
    assert!(
        heard.iter().all(|event| event.starts_with("remark ")),
        "{heard:?}"
    );
}

/// EVT-4: in a dry run, subscribers run inside the transaction that is rolled back, and none after it.
#[tokio::test]
async fn dry_runs_are_heard_of_inside_only() {
    let (app, heard) = remarking().await;
    let dry = app.with_header("prefer", "dry-run");
    dry.post("/loans", json!({"copy": "a"})).await.expect(201);
    dry.post("/loans", json!({"copy": "forbidden"})).await.expect(400);
    assert_eq!(heard.take(1).await, ["remark Loan a/0 created"]);
    assert_eq!(remarks(&app), 0);
}

/// EVT-3: in a transaction of the handler, a failing write is undone alone.
#[tokio::test]
async fn a_subscriber_runs_in_the_transaction_of_the_handler() {
    let (app, heard) = remarking().await;
    app.post("/transactions/drop", json!({})).await.expect(204);
    assert_eq!(remarks(&app), 0);
    assert_eq!(heard.take(1).await, ["remark Loan transaction/0 created"]);
    app.post("/transactions/commit", json!({})).await.expect(204);
    assert_eq!(remarks(&app), 1);
    assert_eq!(heard.take(3).await.len(), 3);
}

struct RemarkPolicy;

impl ModelPolicy for RemarkPolicy {
    type Model = Remark;

    fn visible(_: &Caller) -> Where<Remark> {
        Where::all()
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role("clerk")
    }
}

struct LoanPolicy;

impl ModelPolicy for LoanPolicy {
    type Model = Loan;

    fn visible(_: &Caller) -> Where<Loan> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

/// EVT-3: a subscriber writes as the caller, so that a policy may deny it.
#[tokio::test]
async fn a_subscriber_writes_as_the_caller() {
    let heard = Heard::default();
    let api = api()
        .with_state(heard)
        .authenticator(HeaderAuthenticator)
        .policy::<LoanPolicy>()
        .policy::<RemarkPolicy>()
        .on_change(remark);
    let app = TestApp::with_api(api).await;
    app.as_caller("1")
        .post("/loans", json!({"copy": "a"}))
        .await
        .expect(403);
    assert_eq!(app.database().value::<u32>("SELECT COUNT(*) FROM loans"), 0);
    app.as_caller("2 clerk")
        .post("/loans", json!({"copy": "a"}))
        .await
        .expect(201);
    assert_eq!(remarks(&app), 1);
}

/// EVT-8: subscribers that cause each other's writes without an end are stopped, and nothing is written.
#[tokio::test]
async fn endless_writes_are_stopped() {
    async fn again(cx: Context, change: Change<Loan>) -> Result<()> {
        let copy = format!("{} again", change.row().copy);
        cx.create(Draft::<Loan>::new().with(Loan::COPY, copy)).await?;
        Ok(())
    }
    let app = TestApp::with_api(api().on_change(again)).await;
    app.post("/loans", json!({"copy": "a"})).await.expect(500);
    assert_eq!(app.database().value::<u32>("SELECT COUNT(*) FROM loans"), 0);
}

#[derive(Debug, Clone, Model)]
#[model(table = "accounts")]
struct Account {
    #[column(primary_key)]
    id: i64,
    #[column(default = 0)]
    balance: i64,
    #[column(default = 0)]
    seen: i64,
}

struct AccountResource;

#[model_resource(Account, "/accounts", "/accounts/<int:id>")]
impl ModelResource for AccountResource {
    const PUBLIC: bool = true;
}

/// EVT-7: transactions that the database aborts because of each other are repeated, and their events are heard of once.
#[tokio::test]
async fn repeated_transactions_are_heard_of_once() {
    let heard = Heard::default();
    let after = heard.clone();
    let both = Arc::new(Barrier::new(2));
    let api = Api::new("bank")
        .model_resource::<AccountResource>()
        .on_change(move |cx: Context, change: Change<Account>| {
            let both = Arc::clone(&both);
            async move {
                // On PostgreSQL both have updated their own row, and wait for that of the other.
                if cx.store_unchecked().dialect() == model_resource::SqlDialect::Postgres {
                    let _ = tokio::time::timeout(Duration::from_millis(300), both.wait()).await;
                }
                let other = 3 - change.row().id;
                see(cx.store_unchecked(), other).await
            }
        })
        .after_change(move |_, change: Change<Account>| {
            after.add(format!("account {}", change.row().id));
            async { Ok(()) }
        });
    let app = TestApp::with_api(api).await;
    app.database()
        .execute("INSERT INTO accounts (id, balance, seen) VALUES (1, 0, 0), (2, 0, 0)");
    let (one, two) = tokio::join!(
        app.patch("/accounts/1", json!({"balance": 1})),
        app.patch("/accounts/2", json!({"balance": 1}))
    );
    one.expect(200);
    two.expect(200);
    let mut events = heard.take(2).await;
    events.sort();
    assert_eq!(events, ["account 1", "account 2"]);
    let seen = app
        .database()
        .value::<i64>("SELECT SUM(balance + seen) FROM accounts");
    assert_eq!(seen, 4);
}

/// Counts a look at an account, past the events.
async fn see(store: &Store, id: i64) -> Result<()> {
    let account: Account = store.get(id).await?.unwrap();
    store
        .save(Draft::of(&account).with(Account::SEEN, account.seen + 1))
        .await?;
    Ok(())
}
