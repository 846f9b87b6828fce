//! Ways to write, and subscribers after the commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::Method;
use model_resource::{ApiHandle, Change, Error, Result};
use serde_json::{Value, json};
use test_support::TestApp;

use super::{Heard, Loan, Remark, api, library, loan_text};

async fn create(app: &TestApp, copy: &str) -> i64 {
    let created = app.post("/loans", json!({"copy": copy})).await.expect(201);
    created.json()["id"].as_i64().unwrap()
}

/// EVT-1, EVT-2: the automatic operations are heard of, with the row before and after; what changes nothing is not.
#[tokio::test]
async fn the_automatic_operations_are_heard_of() {
    let (app, heard) = library().await;
    let id = create(&app, "a").await;
    assert_eq!(heard.take(1).await, ["Loan a/0 created"]);
    let url = format!("/loans/{id}");
    app.patch(&url, json!({"days": 3})).await.expect(200);
    assert_eq!(heard.take(1).await, ["Loan a/0 -> a/3: days"]);
    app.patch(&url, json!({"days": 3})).await.expect(200);
    app.patch(&url, json!({"days": "many"})).await.expect(400);
    app.patch("/loans/999", json!({"days": 4})).await.expect(404);
    assert_eq!(heard.take(0).await, [""; 0]);
    let body = json!({"copy": "b", "isReturned": true, "days": 3});
    app.put(&url, body).await.expect(200);
    assert_eq!(heard.take(1).await, ["Loan a/3 -> b/3: copy is_returned"]);
    let patch = Bytes::from(r#"[{"op": "replace", "path": "/days", "value": 4}]"#);
    let patch = Some(("application/json-patch+json", patch));
    app.send(Method::PATCH, &url, patch).await.expect(200);
    assert_eq!(heard.take(1).await, ["Loan b/3 -> b/4: days"]);
    let tag = app.get(&url).await.expect(200).header("etag").to_owned();
    let matching = app.with_header("if-match", &tag);
    matching.patch(&url, json!({"days": 5})).await.expect(200);
    matching.patch(&url, json!({"days": 6})).await.expect(412);
    assert_eq!(heard.take(1).await, ["Loan b/4 -> b/5: days"]);
    app.delete(&url).await.expect(204);
    app.delete(&url).await.expect(404);
    assert_eq!(heard.take(1).await, ["Loan b/5 deleted"]);
    let url = format!("/loans/{}", create(&app, "c").await);
    let tag = app.get(&url).await.expect(200).header("etag").to_owned();
    let matching = app.with_header("if-match", &tag);
    let shown = matching.with_header("prefer", "return=representation");
    shown.delete(&url).await.expect(200);
    assert_eq!(heard.take(2).await, ["Loan c/0 created", "Loan c/0 deleted"]);
}

/// EVT-1: bulk requests, imports and writes by a filter are heard of row by row, or not at all.
#[tokio::test]
async fn bulk_requests_are_heard_of_row_by_row() {
    let (app, heard) = library().await;
    let many = app.post("/loans", json!([{"copy": "a"}, {"copy": "b"}])).await;
    let many = many.expect(201).json();
    assert_eq!(heard.take(2).await, ["Loan a/0 created", "Loan b/0 created"]);
    app.post("/loans", json!([{"copy": "c"}, {"copy": "a"}]))
        .await
        .expect(400);
    assert_eq!(heard.take(0).await, [""; 0]);
    let csv = Some(("text/csv", Bytes::from("copy,days\r\nd,7\r\n")));
    app.send(Method::POST, "/loans", csv).await.expect(201);
    assert_eq!(heard.take(1).await, ["Loan d/7 created"]);
    let ids: Vec<&Value> = many.as_array().unwrap().iter().map(|loan| &loan["id"]).collect();
    let patches = json!([{"id": ids[1], "days": 1}, {"id": ids[0], "days": 2}]);
    app.patch("/loans", patches).await.expect(200);
    assert_eq!(
        heard.take(2).await,
        ["Loan b/0 -> b/1: days", "Loan a/0 -> a/2: days"]
    );
    let patches = json!([{"id": ids[1], "days": 3}, {"id": ids[0], "days": "many"}]);
    app.patch("/loans", patches).await.expect(400);
    assert_eq!(heard.take(0).await, [""; 0]);
    let puts = json!([{"id": ids[0], "copy": "a", "isReturned": true, "days": 9}]);
    app.put("/loans", puts).await.expect(200);
    assert_eq!(heard.take(1).await, ["Loan a/2 -> a/9: is_returned days"]);
    let several = app.with_header("prefer", "max-affected=5");
    several
        .patch("/loans?days[lt]=8", json!({"days": 8}))
        .await
        .expect(200);
    assert_eq!(
        heard.take(2).await,
        ["Loan b/1 -> b/8: days", "Loan d/7 -> d/8: days"]
    );
    app.delete(&format!("/loans?id={}", ids[0])).await.expect(204);
    assert_eq!(heard.take(1).await, ["Loan a/9 deleted"]);
    several.delete("/loans?days=8").await.expect(204);
    assert_eq!(heard.take(2).await, ["Loan b/8 deleted", "Loan d/8 deleted"]);
}

/// EVT-1: related objects and links that are written with their object are heard of after it.
#[tokio::test]
async fn nested_writes_are_heard_of() {
    let (app, heard) = library().await;
    for name in ["new", "old"] {
        app.post("/labels", json!({"name": name})).await.expect(201);
    }
    let body = json!({"copy": "a", "remarks": [{"text": "x"}, {"text": "y"}], "labels": ["new"]});
    let loan = app.post("/loans", body).await.expect(201).json();
    let created = [
        "Loan a/0 created",
        "Remark x created",
        "Remark y created",
        "LoanLabel 1 created",
    ];
    assert_eq!(heard.take(4).await, created);
    let url = format!("/loans/{}", loan["id"]);
    let remarks = json!([{"id": loan["remarks"][1]["id"], "text": "z"}, {"text": "w"}]);
    app.patch(&url, json!({"remarks": remarks, "labels": ["old"]}))
        .await
        .expect(200);
    let changed = [
        "Remark x deleted",
        "Remark y -> z: text",
        "Remark w created",
        "LoanLabel 1 deleted",
        "LoanLabel 2 created",
    ];
    assert_eq!(heard.take(5).await, changed);
    let rejected = json!({"days": 1, "remarks": [{"text": "v"}], "labels": ["unknown"]});
    app.patch(&url, rejected).await.expect(400);
    assert_eq!(heard.take(0).await, [""; 0]);
    // The database deletes the others by itself.
    app.delete(&url).await.expect(204);
    assert_eq!(heard.take(1).await, ["Loan a/0 deleted"]);
}

/// EVT-1, EVT-4: the writes of handlers are heard of when they are committed, whatever the request answers; those of
/// `store_unchecked` are not.
#[tokio::test]
async fn handlers_are_heard_of() {
    for status in [200, 409] {
        let (app, heard) = library().await;
        let expected = if status == 200 { 204 } else { 409 };
        app.post(&format!("/steps/{status}"), json!({}))
            .await
            .expect(expected);
        let steps = [
            "Loan steps/0 created",
            "Loan steps/0 -> steps/1: days",
            "Loan steps/1 deleted",
        ];
        assert_eq!(heard.take(3).await, steps);
    }
    let (app, heard) = library().await;
    app.post("/transactions/drop", json!({})).await.expect(204);
    assert_eq!(heard.take(0).await, [""; 0]);
    app.post("/transactions/commit", json!({})).await.expect(204);
    assert_eq!(heard.take(1).await, ["Loan transaction/0 created"]);
}

/// EVT-4: a request with a key is heard of once, and a dry run never.
#[tokio::test]
async fn repeated_requests_are_heard_of_once_and_dry_runs_never() {
    let (app, heard) = library().await;
    let keyed = app.with_header("idempotency-key", "\"clerk-17-loan-4711-first\"");
    let loan = json!({"copy": "a", "remarks": [{"text": "x"}]});
    keyed.post("/loans", loan.clone()).await.expect(201);
    keyed.post("/loans", loan).await.expect(201);
    assert_eq!(heard.take(2).await, ["Loan a/0 created", "Remark x created"]);
    let keyed = app.with_header("idempotency-key", "\"clerk-17-loan-4711-steps\"");
    keyed.post("/steps/200", json!({})).await.expect(204);
    keyed.post("/steps/200", json!({})).await.expect(204);
    assert_eq!(heard.take(3).await.len(), 3);
    let dry = app.with_header("prefer", "dry-run");
    dry.post("/loans", json!({"copy": "b"})).await.expect(201);
    dry.post("/loans", json!([{"copy": "b"}, {"copy": "c"}]))
        .await
        .expect(201);
    dry.post("/steps/200", json!({})).await.expect(204);
    dry.post("/transactions/commit", json!({})).await.expect(204);
    assert_eq!(heard.take(0).await, [""; 0]);
    assert_eq!(app.database().value::<u32>("SELECT COUNT(*) FROM loans"), 1);
}

/// EVT-5: neither an error nor a panic of a subscriber changes the answer, or keeps others from the event.
#[tokio::test]
async fn failing_subscribers_change_no_answer() {
    let heard = Heard::default();
    let last = heard.clone();
    let api = api()
        .after_change(|_, _: Change<Loan>| async { Err(Error::internal("as the test asks")) })
        .after_change(|_, change: Change<Loan>| async move {
            assert!(change.row().copy.is_empty(), "as the test asks");
            Ok(())
        })
        .after_change(move |_, change: Change<Loan>| {
            last.add(loan_text(&change));
            async { Ok(()) }
        });
    let app = TestApp::with_api(api).await;
    create(&app, "a").await;
    create(&app, "b").await;
    assert_eq!(heard.take(2).await, ["Loan a/0 created", "Loan b/0 created"]);
}

/// EVT-6: subscribers after the commit cost no statement of a single new object, and a deleted one.
#[tokio::test]
async fn subscribers_after_the_commit_cost_no_statement() {
    let heard = Heard::default();
    let mut statements = Vec::new();
    for api in [api(), super::heard_after(api(), &heard)] {
        let app = TestApp::with_api(api).await;
        let id = create(&app, "a").await;
        let count = || app.store.read_count() + app.store.writes();
        let before = count();
        app.post("/loans", json!({"copy": "b"})).await.expect(201);
        app.post("/loans", json!([{"copy": "c"}, {"copy": "d"}]))
            .await
            .expect(201);
        app.delete(&format!("/loans/{id}")).await.expect(204);
        statements.push(count() - before);
    }
    assert_eq!(statements[0], statements[1]);
}

/// EVT-2, EVT-7: concurrent updates of a row are each heard of once, and the row before is that of the update before.
#[tokio::test]
async fn concurrent_updates_are_a_chain_of_events() {
    let (app, heard) = library().await;
    let url = format!("/loans/{}", create(&app, "a").await);
    heard.take(1).await;
    let failed = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (1..=20)
        .map(|days| {
            let (client, url, failed) = (app.client.clone(), url.clone(), Arc::clone(&failed));
            tokio::spawn(async move {
                let patched = client.patch(&url, json!({"days": days})).await;
                if patched.status != 200 {
                    failed.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(failed.load(Ordering::Relaxed), 0);
    let events = heard.take(20).await;
    assert_eq!(events.len(), 20, "{events:?}");
    let mut steps: Vec<(String, String)> = events
        .iter()
        .map(|event| {
            let event = event
                .strip_prefix("Loan a/")
                .unwrap()
                .strip_suffix(": days")
                .unwrap();
            let (before, after) = event.split_once(" -> a/").unwrap();
            (before.to_owned(), after.to_owned())
        })
        .collect();
    let mut days = "0".to_owned();
    while let Some(next) = steps.iter().position(|(before, _)| *before == days) {
        days = steps.swap_remove(next).1;
    }
    assert!(steps.is_empty(), "{events:?}");
}

/// Counts the remarks of a loan through the store of the application.
async fn count(api: ApiHandle, change: Change<Loan>) -> Result<()> {
    let remarks = Remark::query().filter(Remark::LOAN_ID.eq(change.row().id));
    let remarks = api.store_unchecked().all(&remarks).await?.len();
    let heard = api.state::<Heard>().ok_or_else(|| Error::internal("no state"))?;
    heard.add(format!("{}: {remarks}", change.row().copy));
    Ok(())
}

/// EVT-9: a subscriber after the commit reads what was committed through its store, whatever transaction wrote it, and has
/// the states of the application.
#[tokio::test]
async fn a_subscriber_after_the_commit_has_the_store_and_the_states() {
    let heard = Heard::default();
    let app = TestApp::with_api(api().with_state(heard.clone()).after_change(count)).await;
    let loan = |copy: &str| json!({"copy": copy, "remarks": [{"text": "x"}, {"text": "y"}]});
    app.post("/loans", loan("single")).await.expect(201);
    assert_eq!(heard.take(1).await, ["single: 2"]);
    app.post("/loans", json!([loan("one"), loan("two")]))
        .await
        .expect(201);
    assert_eq!(heard.take(2).await, ["one: 2", "two: 2"]);
    let keyed = app.with_header("idempotency-key", "a-key");
    keyed.post("/loans", loan("keyed")).await.expect(201);
    assert_eq!(heard.take(1).await, ["keyed: 2"]);
}
