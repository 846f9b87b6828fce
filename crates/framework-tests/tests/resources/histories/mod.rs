//! Histories of concurrent requests, checked against what one client after the other could have seen.

mod call;
mod client;
mod order;

use std::collections::HashMap;
use std::time::Instant;

use futures_util::future::join_all;
use model_resource::{Api, Columns, Model, ModelResource, Timestamp, model_resource};
use serde_json::json;
use test_support::TestApp;

use self::call::{Answer, Call, Version};
use self::client::{Exchange, OPERATIONS, ROWS, RandomClient};
use self::order::in_order;

const CLIENTS: u64 = 10;

/// Its version is a number.
#[derive(Debug, Clone, Model)]
#[model(table = "counters")]
struct Counter {
    #[column(primary_key)]
    id: i64,
    value: i64,
    total: i64,
    #[column(version)]
    version: i64,
}

struct CounterResource;

#[model_resource(Counter, "/counters", "/counters/<int:id>")]
impl ModelResource for CounterResource {
    const INCREMENT: Columns<Counter> = Columns::of(Counter::TOTAL);
}

/// Its version is the time of the last change.
#[derive(Debug, Clone, Model)]
#[model(table = "meters")]
struct Meter {
    #[column(primary_key)]
    id: i64,
    value: i64,
    total: i64,
    #[column(updated)]
    updated_at: Timestamp,
}

struct MeterResource;

#[model_resource(Meter, "/meters", "/meters/<int:id>")]
impl ModelResource for MeterResource {
    const INCREMENT: Columns<Meter> = Columns::of(Meter::TOTAL);
}

/// Its version is a digest.
#[derive(Debug, Clone, Model)]
#[model(table = "plain_sums")]
struct PlainSum {
    #[column(primary_key)]
    id: i64,
    value: i64,
    total: i64,
}

struct PlainSumResource;

#[model_resource(PlainSum, "/plain-sums", "/plain-sums/<int:id>")]
impl ModelResource for PlainSumResource {
    const INCREMENT: Columns<PlainSum> = Columns::of(PlainSum::TOTAL);
}

/// URLs of a resource for each kind of version.
const KINDS: [&str; 3] = ["/counters", "/meters", "/plain-sums"];

/// VSN-4, PAT-6: 10,000 reads, puts, patches and increments of several clients, with and without a version, could have been
/// sent one after the other, in an order that keeps those apart that did not overlap. Each write is shown as it was sent, and
/// each refusal had another version.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reads_and_writes_are_linearizable_per_row() {
    let app = TestApp::with_api(
        Api::new("histories")
            .model_resource::<CounterResource>()
            .model_resource::<MeterResource>()
            .model_resource::<PlainSumResource>(),
    )
    .await;
    let mut requests = 0;
    for list in KINDS {
        requests += check_random_requests(&app, list, seed()).await;
    }
    assert!(requests >= 10_000, "{requests} requests");
}

/// Seed of the random requests: constant unless `RANDOM_SEED` is set. Their interleaving is another one in every run.
fn seed() -> u64 {
    let seed = std::env::var("RANDOM_SEED");
    seed.map_or(0, |seed| seed.parse().expect("RANDOM_SEED is no number"))
}

/// Sends random requests to the rows of a list, and returns their number.
async fn check_random_requests(app: &TestApp, list: &'static str, seed: u64) -> u64 {
    for _ in 0..ROWS {
        app.post(list, json!({"value": 0, "total": 0})).await.expect(201);
    }
    let mut exchanges = current(app, list).await;
    let clients = (0..CLIENTS).map(|number| {
        let client = RandomClient::new(app.client.clone(), list, number, seed);
        tokio::spawn(client.run())
    });
    for sent in join_all(clients).await {
        exchanges.extend(sent.unwrap());
    }
    exchanges.extend(current(app, list).await);
    for row in 1..=ROWS {
        let of_row = exchanges.iter().filter(|exchange| exchange.row == row);
        let context = format!("{list}/{row} with RANDOM_SEED={seed}");
        check_row(&of_row.collect::<Vec<_>>(), &context);
    }
    check_coverage(&exchanges, &format!("{list} with RANDOM_SEED={seed}"));
    CLIENTS * OPERATIONS
}

/// Reads every row while nobody else sends a request.
async fn current(app: &TestApp, list: &'static str) -> Vec<Exchange> {
    let mut exchanges = Vec::new();
    for row in 1..=ROWS {
        let begin = Instant::now();
        let response = app.get(&format!("{list}/{row}")).await.expect(200);
        exchanges.push(Exchange {
            row,
            begin,
            end: Instant::now(),
            sent: None,
            base: None,
            tag: response.header("etag").to_owned(),
            shown: Some(Version::of(&response.json())),
        });
    }
    exchanges
}

/// Asserts that one order explains all answers about a row, and that its tags are those of its versions.
fn check_row(exchanges: &[&Exchange], context: &str) {
    let (mut by_tag, mut tags) = (HashMap::new(), HashMap::new());
    for exchange in exchanges {
        if let Some(version) = exchange.shown {
            let tag = exchange.tag.as_str();
            let same = by_tag.insert(tag, version).is_none_or(|same| same == version);
            assert!(same, "{context}: another version has the tag of {exchange:?}");
            let same = tags.insert(version, tag).is_none_or(|same| same == tag);
            assert!(
                same,
                "{context}: the version has another tag than in {exchange:?}"
            );
        }
    }
    let named = |tag: &str| {
        let version = by_tag.get(tag).copied();
        version.unwrap_or_else(|| panic!("{context}: no object was shown with the tag {tag}"))
    };
    let calls = exchanges.iter().map(|exchange| Call {
        begin: exchange.begin,
        end: exchange.end,
        sent: exchange.sent,
        base: exchange.base.as_deref().map(named),
        answer: match exchange.shown {
            Some(version) => Answer::Shown(version),
            None => Answer::Refused(named(&exchange.tag)),
        },
    });
    let initial = exchanges[0].shown.expect("the first exchange is a read");
    if let Err(stuck) = in_order(calls.collect(), initial) {
        panic!("{context}: {stuck}");
    }
}

/// Asserts that requests of every kind were sent, and that many versions in them were still current and many were not.
fn check_coverage(exchanges: &[Exchange], context: &str) {
    let count = |is_one: &dyn Fn(&Exchange) -> bool| exchanges.iter().filter(|one| is_one(one)).count();
    let reads = count(&|one| one.sent.is_none());
    let blind = count(&|one| one.sent.is_some() && one.base.is_none());
    let applied = count(&|one| one.base.is_some() && one.shown.is_some());
    let refused = count(&|one| one.base.is_some() && one.shown.is_none());
    let counted =
        format!("{context}: {reads} reads, {blind} without a version, {applied} applied, {refused} refused");
    println!("{counted}");
    assert!(
        [reads, blind, applied, refused].iter().all(|count| *count > 50),
        "{counted}"
    );
}
