//! Slow statements in the log.

use std::time::Duration;

use model_resource::{Model, Sql, Store};
use test_support::{Log, TestDatabase};

#[derive(Debug, Clone, Model)]
#[model(table = "parcels")]
struct Parcel {
    #[column(primary_key)]
    id: i64,
    weight: i64,
}

/// Repeats a statement until the log has a line with a text, since at most one line per second is written.
async fn logged(log: &Log, text: &str, statement: impl AsyncFn()) -> String {
    for _ in 0..20 {
        statement().await;
        // The line of a list follows when its plan is known.
        tokio::time::sleep(Duration::from_millis(1100)).await;
        if let Some(line) = log.lines_with(text).pop() {
            return line;
        }
    }
    panic!("no line with {text}");
}

/// LOAD-53: counts have the indexes that they lack, handwritten SQL its text without values, and commits are logged.
#[tokio::test]
async fn counts_handwritten_statements_and_commits_are_logged_when_slow() {
    let log = Log::start();
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    store.create_tables(&[Parcel::table()]).await.unwrap();
    let store = store.slow_statements(Duration::ZERO);
    let heavy = Parcel::query().filter(Parcel::WEIGHT.gt(7));
    let count = logged(&log, "operation=\"count\"", async || {
        store.count(&heavy).await.unwrap();
    });
    let count = count.await;
    assert!(
        count.contains("table=\"parcels\"") && count.contains("no index"),
        "{count}"
    );
    assert!(count.contains("weight"), "{count}");
    let fetched = logged(&log, "operation=\"fetch\"", async || {
        let select = Sql::new("SELECT id FROM parcels WHERE weight = $1 AND 'slow-1' <> ''");
        store.fetch(select.bind(918_273)).await.unwrap();
    });
    let fetched = fetched.await;
    assert!(
        fetched.contains("SELECT id FROM parcels WHERE weight = $1"),
        "{fetched}"
    );
    assert!(!fetched.contains("918273"), "{fetched}");
    logged(&log, "operation=\"commit\"", async || {
        store.begin().await.unwrap().commit().await.unwrap();
    })
    .await;
}
