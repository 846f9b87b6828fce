//! Lists that are expected to be short: they wait for no search, and continue as searches if they take long.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use model_resource_schema::model::{Model, Row};
use model_resource_schema::query::{AnyWhere, Comparison, FieldPath, Predicate};
use model_resource_schema::relation::Related;
use model_resource_schema::value::{Value, ValueRef};
use model_resource_store::{
    AnyQuery, BriefScan, KeysetPosition, ListQuery, RowSink, Seek, Sql, Store, StoreError,
};

use crate::database::{ask, in_memory, on, postgres};
use crate::models::Category;

/// Collects keys.
#[derive(Default)]
struct Keys(Vec<i64>);

impl RowSink for Keys {
    fn row(&mut self, row: &dyn Row, _: &Related) -> ControlFlow<()> {
        match row.value(0) {
            ValueRef::Int(key) => self.0.push(key),
            other => panic!("expected a key, found {other:?}"),
        }
        ControlFlow::Continue(())
    }
}

/// Creates categories with the names `n1`, `n2` and so on.
async fn fill(store: &Store, count: u32) {
    let insert = format!(
        "INSERT INTO categories (name, slug) WITH RECURSIVE n(i) AS \
         (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) SELECT 'n' || i, 's' || i FROM n"
    );
    store.execute(Sql::new(insert)).await.unwrap();
}

/// The first categories, in the order of their keys, whose names are in this relation to a text.
fn by_name(comparison: Comparison, name: &str) -> ListQuery {
    let name = Value::Text(name.to_owned());
    let condition = AnyWhere::Compare(FieldPath::from(Category::NAME), Predicate::Is(comparison, name));
    let query = AnyQuery::from(Category::table()).restrict(condition);
    ListQuery::of(query).limit(20).expect_dense()
}

/// LOAD-101: a condition that most rows satisfy makes no search of a page.
async fn a_page_of_many_rows_is_read_briefly(store: Store) {
    fill(&store, 3000).await;
    let list = by_name(Comparison::Gt, "n");
    assert!(list.is_probably_short());
    let scanned = store.scan_briefly(&list, Arc::new([]), Keys::default()).await;
    let BriefScan::Ended(scanned) = scanned.unwrap() else {
        panic!("the scan was interrupted");
    };
    assert_eq!(scanned.sink.0, (1..=20).collect::<Vec<_>>());
}

on!(a_page_of_many_rows_is_read_briefly: in_memory, in_file, postgres);

/// LOAD-101: rows that are far from each other are found by a search, and each once.
#[tokio::test]
async fn a_list_that_takes_long_continues_as_a_search() {
    let store = in_memory().await;
    fill(&store, 200_000).await;
    let rare = "UPDATE categories SET name = 't' || name WHERE id % 20000 = 1";
    store.execute(Sql::new(rare)).await.unwrap();
    let list = by_name(Comparison::Gt, "t");
    let scanned = store.scan_briefly(&list, Arc::new([]), Keys::default()).await;
    let BriefScan::Interrupted { sink, rest } = scanned.unwrap() else {
        panic!("the scan of 200,000 rows has ended");
    };
    assert_eq!(sink.0, [1]);
    assert!(!rest.is_probably_short());
    let scanned = store.scan(&rest, Arc::new([]), sink).await.unwrap();
    let expected: Vec<i64> = (0..10).map(|number| number * 20_000 + 1).collect();
    assert_eq!(scanned.sink.0, expected);
}

/// Keys of rows that count as 100,000 bytes each.
#[derive(Default)]
struct LongRows(Keys);

impl RowSink for LongRows {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        self.0.row(row, related)
    }

    fn bytes(&self) -> usize {
        100_000 * self.0.0.len()
    }
}

/// LOAD-101: a page of long rows continues as a search, each row once and in order.
async fn a_page_of_long_rows_continues_as_a_search(store: Store) {
    fill(&store, 3000).await;
    let list = by_name(Comparison::Gt, "n");
    let scanned = store.scan_briefly(&list, Arc::new([]), LongRows::default()).await;
    let BriefScan::Interrupted { sink, rest } = scanned.unwrap() else {
        panic!("the scan of long rows has ended");
    };
    assert_eq!(sink.0.0, [1, 2, 3]);
    let scanned = store.scan(&rest, Arc::new([]), sink).await.unwrap();
    assert_eq!(scanned.sink.0.0, (1..=20).collect::<Vec<_>>());
    // A page of the whole table needs no attempt.
    let page = ListQuery::of(AnyQuery::from(Category::table())).limit(20);
    let scanned = store
        .scan(&page, Arc::new([]), LongRows::default())
        .await
        .unwrap();
    assert_eq!(scanned.sink.0.0, (1..=20).collect::<Vec<_>>());
    assert!(scanned.next.is_none());
    let before = page.seek(Seek::Before(Some(KeysetPosition(vec![Value::Int(31)]))));
    let scanned = store
        .scan(&before, Arc::new([]), LongRows::default())
        .await
        .unwrap();
    assert_eq!(scanned.sink.0.0, (11..=30).collect::<Vec<_>>());
}

on!(a_page_of_long_rows_continues_as_a_search: in_memory, in_file, postgres);

/// LOAD-101: on PostgreSQL, a list is interrupted after a tenth of a second, and not attempted again at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_on_postgres_that_takes_long_continues_as_a_search() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    fill(store, 3).await;
    let slow = "ALTER TABLE categories RENAME TO hidden; \
                CREATE VIEW categories AS SELECT hidden.* FROM pg_sleep(1), hidden";
    ask(&database.url, slow).await;
    let list = by_name(Comparison::Gt, "n");
    for _ in 0..2 {
        let scanned = store.scan_briefly(&list, Arc::new([]), Keys::default()).await;
        let BriefScan::Interrupted { sink, rest } = scanned.unwrap() else {
            panic!("the scan has ended");
        };
        let scanned = store.scan(&rest, Arc::new([]), sink).await.unwrap();
        assert_eq!(scanned.sink.0, [1, 2, 3]);
    }
    let lists = |name: &str| {
        let status = store.status();
        status.lanes.iter().any(|lane| lane.name == name)
    };
    assert!(lists("lists"));
}

/// LOAD-101: lists that are expected to be short have connections of their own.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_on_postgres_waits_for_no_search() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    fill(store, 3).await;
    let searches: Vec<_> = (0..10)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.fetch(Sql::new("SELECT pg_sleep(60)")).await.map(drop) })
        })
        .collect();
    let all_run = || {
        let status = store.status();
        let lane = status.lanes.iter().find(|lane| lane.name == "searches");
        lane.is_some_and(|lane| lane.waiting > 0)
    };
    while !all_run() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let list = by_name(Comparison::Gt, "n");
    let scanned = store.scan_briefly(&list, Arc::new([]), Keys::default()).await;
    assert!(matches!(scanned, Ok(BriefScan::Ended(_))));
    assert!(searches.iter().all(|search| !search.is_finished()));
    searches.iter().for_each(tokio::task::JoinHandle::abort);
}

/// A transaction has nobody beside it, so nothing is interrupted in it.
#[tokio::test]
async fn a_list_in_a_transaction_is_not_interrupted() {
    let store = in_memory().await;
    fill(&store, 100_000).await;
    let transaction = store.begin().await.unwrap();
    let list = by_name(Comparison::Gt, "t");
    let scanned = transaction
        .scan_briefly(&list, Arc::new([]), Keys::default())
        .await;
    assert!(matches!(scanned, Ok(BriefScan::Ended(scanned)) if scanned.sink.0.is_empty()));
    transaction.rollback().await.unwrap();
    let failed: Result<BriefScan<Keys>, StoreError> = {
        store.execute(Sql::new("DROP TABLE articles")).await.unwrap();
        store.execute(Sql::new("DROP TABLE categories")).await.unwrap();
        store.scan_briefly(&list, Arc::new([]), Keys::default()).await
    };
    assert!(failed.is_err());
}
