//! Statements behind a pooler: what they leave behind, their time limits and their cancellation.

use std::time::{Duration, Instant};

use model_resource::store::StoreError;
use model_resource::{Sql, Store};
use test_support::TestDatabase;

use crate::{is_transaction_mode, with_option};

/// Returns the number of prepared statements that a session of the server has.
async fn names(store: &Store) -> i64 {
    let count = Sql::new("SELECT count(*) AS names FROM pg_prepared_statements");
    store.fetch(count).await.unwrap()[0].get("names").unwrap()
}

/// LOAD-82: with `prepare=off` no prepared statement outlives its transaction, whatever types it returns.
#[tokio::test]
async fn no_prepared_statement_outlives_its_transaction() {
    if !is_transaction_mode() {
        return;
    }
    let database = TestDatabase::create();
    let store = backend::app::APPLICATION.open(&database.url()).await.unwrap();
    database.execute("CREATE TYPE mood AS ENUM ('well', 'tired'); CREATE TYPE size AS ENUM ('s', 'l')");
    for round in 0..5 {
        for sql in [
            "SELECT 'well'::mood AS a",
            "SELECT 's'::size AS a",
            "SELECT $1::int8 AS a",
        ] {
            let sql = if sql.contains('$') {
                Sql::new(sql).bind(round)
            } else {
                Sql::new(sql)
            };
            store.fetch(sql).await.unwrap();
        }
        let transaction = store.begin().await.unwrap();
        let written = Sql::new("UPDATE tags SET name = $1 WHERE id = 0").bind("a");
        transaction.execute(written).await.unwrap();
        transaction
            .fetch(Sql::new("SELECT 'tired'::mood AS a"))
            .await
            .unwrap();
        if round % 2 == 0 {
            transaction.commit().await.unwrap();
        } else {
            transaction.rollback().await.unwrap();
        }
        store
            .fetch(Sql::new("SELECT nothing FROM nowhere"))
            .await
            .err()
            .unwrap();
        assert_eq!(names(&store).await, 0);
    }
}

/// LOAD-82: with `prepare=off` a statement is described again when the type of a column has changed.
#[tokio::test]
async fn a_changed_type_of_a_column_is_noticed() {
    if !is_transaction_mode() {
        return;
    }
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    database.execute("CREATE TABLE things (id int8 PRIMARY KEY, code int8)");
    let find = || Sql::new("SELECT id FROM things WHERE code = $1").bind(None::<i64>);
    assert!(store.fetch(find()).await.unwrap().is_empty());
    database.execute("ALTER TABLE things ALTER COLUMN code TYPE text");
    assert!(store.fetch(find()).await.unwrap().is_empty());
}

/// DRV-8: the client of a transaction runs an application's own statements, and leaves no prepared statement behind.
#[tokio::test]
async fn the_client_of_a_transaction_leaves_nothing_behind() {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    database.execute("CREATE TABLE things (id int8 PRIMARY KEY)");
    for round in 0..6_i64 {
        let transaction = store.begin().await.unwrap();
        let client = transaction.postgres().await.unwrap();
        let insert = "INSERT INTO things VALUES ($1) RETURNING id";
        let inserted = client.query_one(insert, &[&round]).await.unwrap();
        assert_eq!(inserted.get::<_, i64>(0), round);
        drop(client);
        if round % 2 == 0 {
            transaction.commit().await.unwrap();
        } else {
            drop(transaction);
        }
        if is_transaction_mode() {
            assert_eq!(names(&store).await, 0);
            let refused = store.postgres().await.err().unwrap().to_string();
            assert!(refused.contains("Store::begin"), "{refused}");
        } else {
            let client = store.postgres().await.unwrap();
            client.query_one("SELECT $1::int8", &[&round]).await.unwrap();
        }
    }
    assert_eq!(database.value::<u32>("SELECT count(*) FROM things"), 3);
}

/// LOAD-83: a search ends at its time limit, and a dropped one is cancelled at the server.
#[tokio::test]
async fn searches_end_at_their_limit_and_are_cancelled_when_dropped() {
    let database = TestDatabase::create();
    let url = with_option(&database.url(), "search_timeout=1");
    let store = Store::open(&url).await.unwrap();
    let begin = Instant::now();
    let slow = store.fetch(Sql::new("SELECT pg_sleep(60)")).await;
    assert!(matches!(slow, Err(StoreError::TooSlow(_))));
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());

    let store = Store::open(&with_option(&database.url(), "search_timeout=600"))
        .await
        .unwrap();
    let running =
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(61)%' AND state = 'active'";
    let searcher = store.clone();
    let search = tokio::spawn(async move { drop(searcher.fetch(Sql::new("SELECT pg_sleep(61)")).await) });
    until(&database, running, 1).await;
    search.abort();
    until(&database, running, 0).await;
    store.ping().await.unwrap();
}

/// Waits until a query returns a number.
async fn until(database: &TestDatabase, sql: &str, expected: u32) {
    let begin = Instant::now();
    while database.value::<u32>(sql) != expected {
        assert!(begin.elapsed() < Duration::from_secs(20), "{sql}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// LOAD-84: a pooler that shares sessions is refused at start without `prepare=off`, with the remedy.
#[tokio::test]
async fn transaction_mode_without_the_option_is_refused() {
    if !is_transaction_mode() {
        return;
    }
    let database = TestDatabase::create();
    let url = database.url().replace("?prepare=off&", "?");
    let message = Store::open(&url).await.err().unwrap().to_string();
    assert!(message.contains("?prepare=off"), "{message}");
}
