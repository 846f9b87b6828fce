//! The searches of one caller, and those of others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use model_resource::{Api, Columns, Model, ModelResource, model_resource};
use test_support::{HeaderAuthenticator, TestApp};
use tokio::task::JoinSet;

/// Concurrent searches of one caller.
const MANY: usize = 50;

#[derive(Debug, Clone, Model)]
#[model(table = "pebbles")]
struct Pebble {
    #[column(primary_key)]
    id: i64,
    label: String,
}

struct PebbleResource;

#[model_resource(Pebble, "/pebbles")]
impl ModelResource for PebbleResource {
    const AGGREGATE: Columns<Pebble> = Columns::of(Pebble::LABEL);
}

/// No row matches, so that all are read.
const SEARCH: &str = "/pebbles?label[contains]=zzz";
/// All rows are grouped.
const AGGREGATE: &str = "/pebbles?group=label&count&max(label)";

async fn beach() -> TestApp {
    let api = Api::new("beach").authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(
        api.trusted_proxies(["127.0.0.1"])
            .model_resource::<PebbleResource>(),
    )
    .await;
    app.database().execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) \
         INSERT INTO pebbles (label) SELECT 'a pebble with a long enough label' FROM n",
    );
    app.database().execute("ANALYZE");
    app.store.refresh_statistics(&[Pebble::table()]).await.unwrap();
    app
}

/// LOAD-74: a caller with 50 concurrent searches delays those of others by a few of them, not by all. Callers are known
/// by their keys, and anonymous ones by their addresses. AGG-7: aggregates are searches.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_searches_of_one_caller_do_not_keep_others_waiting() {
    let app = beach().await;
    let from = |address: &str| app.with_header("x-forwarded-for", address);
    for (many, one, search) in [
        (app.as_caller("1"), app.as_caller("2"), SEARCH),
        (from("10.0.0.1"), from("10.0.0.2"), SEARCH),
        (app.as_caller("1"), app.as_caller("2"), AGGREGATE),
    ] {
        let finished = Arc::new(AtomicUsize::new(0));
        let mut searches = JoinSet::new();
        for _ in 0..MANY {
            let (client, finished) = (many.clone(), Arc::clone(&finished));
            searches.spawn(async move {
                let status = client.get(search).await.status.as_u16();
                finished.fetch_add(1, Ordering::Relaxed);
                status
            });
        }
        // All of them have arrived when the first one is answered.
        let first = searches.join_next().await.unwrap().unwrap();
        let before = finished.load(Ordering::Relaxed);
        one.get(search).await.expect(200);
        let meanwhile = finished.load(Ordering::Relaxed) - before;
        let mut statuses = searches.join_all().await;
        statuses.push(first);
        assert!(
            meanwhile < MANY / 2,
            "{meanwhile} searches of the other caller came first"
        );
        // Those that had to wait for too long are rejected.
        assert!(
            statuses.iter().all(|status| [200, 429].contains(status)),
            "{statuses:?}"
        );
    }
}
