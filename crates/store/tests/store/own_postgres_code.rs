//! An application's own code for tokio-postgres, on the connections and in the transactions of the store.

use std::time::{Duration, Instant};

use model_resource_store::{PostgresClient, Query, Sql, Store, StoreError};
use tokio_postgres::GenericClient;

use crate::cancellation::{Lock, until_waiting};
use crate::database::{Postgres, failure, postgres};
use crate::models::{Article, Category};

const INSERT: &str = "INSERT INTO categories (name, slug) VALUES ('a', 'a')";

async fn count<C: GenericClient>(client: &C, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    client.query_one(&sql, &[]).await.unwrap().get(0)
}

async fn setting(client: &PostgresClient<'_>, name: &str) -> String {
    let sql = "SELECT current_setting($1)";
    client.query_one(sql, &[&name]).await.unwrap().get(0)
}

/// Process of the server that a client talks to.
async fn process(client: &PostgresClient<'_>) -> i32 {
    client
        .query_one("SELECT pg_backend_pid()", &[])
        .await
        .unwrap()
        .get(0)
}

/// A store with so few connections that transactions and lent clients have one.
async fn narrow(database: &Postgres) -> Store {
    let separator = if database.url.contains('?') { '&' } else { '?' };
    Store::open(&format!("{}{separator}max_connections=6", database.url))
        .await
        .unwrap()
}

/// Waits until the connections for transactions are idle.
async fn until_returned(store: &Store) {
    let begin = Instant::now();
    loop {
        let status = store.status();
        let lane = status.lanes.iter().find(|lane| lane.name == "transactions");
        if lane.is_some_and(|lane| lane.connections == lane.idle) {
            return;
        }
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "a connection does not return"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// DRV-1: outside of a transaction, each statement of a lent client is committed by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_runs_statements_on_a_connection_of_the_store() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let writes = store.writes();
    let client = store.postgres().await.unwrap();
    client
        .execute(
            "INSERT INTO categories (name, slug) VALUES ($1, $2)",
            &[&"a", &"a"],
        )
        .await
        .unwrap();
    assert_eq!(store.count(&Query::<Category>::new()).await, Ok(1));
    let lanes = store.status().lanes;
    let lane = lanes.iter().find(|lane| lane.name == "transactions").unwrap();
    assert_eq!((lane.connections, lane.idle), (1, 0));
    assert_eq!(store.writes(), writes + 1);
    let first = process(&client).await;
    drop(client);
    until_returned(store).await;
    let client = store.postgres().await.unwrap();
    assert_eq!(
        (process(&client).await, count(&*client, "categories").await),
        (first, 1)
    );
}

/// DRV-2: statements of the store and of the application in one transaction are committed together.
#[tokio::test(flavor = "multi_thread")]
async fn both_are_committed_or_rolled_back_together() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    for (name, is_committed) in [("a", true), ("b", false), ("c", false)] {
        let transaction = store.begin().await.unwrap();
        let client = transaction.postgres().await.unwrap();
        client
            .execute("INSERT INTO articles (title, views) VALUES ($1, 7)", &[&name])
            .await
            .unwrap();
        // Both see what the other has written, in any order.
        assert_eq!(
            transaction.count(&Query::<Article>::new()).await,
            Ok(if is_committed { 1 } else { 2 })
        );
        transaction.create(Category::draft(name)).await.unwrap();
        assert_eq!(
            count(&*client, "categories").await,
            if is_committed { 1 } else { 2 }
        );
        // A rejected write of the store undoes itself alone.
        transaction.create(Category::draft(name)).await.unwrap_err();
        assert_eq!(
            count(&*client, "articles").await,
            if is_committed { 1 } else { 2 }
        );
        drop(client);
        match name {
            "a" => transaction.commit().await.unwrap(),
            "b" => transaction.rollback().await.unwrap(),
            _ => drop(transaction),
        }
        until_returned(store).await;
        assert_eq!(store.count(&Query::<Category>::new()).await, Ok(1));
        assert_eq!(store.count(&Query::<Article>::new()).await, Ok(1));
    }
}

/// DRV-2: a failed statement aborts the transaction, unless it runs in a savepoint; nothing is committed by mistake.
#[tokio::test(flavor = "multi_thread")]
async fn a_failed_statement_aborts_its_transaction_or_its_savepoint() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    store.create(Category::draft("taken")).await.unwrap();
    let insert = "INSERT INTO categories (name, slug) VALUES ('taken', 'b')";

    let transaction = store.begin().await.unwrap();
    transaction.create(Article::draft("lost")).await.unwrap();
    let client = transaction.postgres().await.unwrap();
    let error = StoreError::from(client.batch_execute(insert).await.unwrap_err());
    assert!(matches!(error, StoreError::Invalid(_)), "{error:?}");
    drop(client);
    assert!(transaction.create(Article::draft("late")).await.is_err());
    assert!(transaction.commit().await.is_err());
    assert_eq!(store.count(&Query::<Article>::new()).await, Ok(0));

    let transaction = store.begin().await.unwrap();
    transaction.create(Article::draft("kept")).await.unwrap();
    let savepoint = transaction.begin_nested().await.unwrap();
    savepoint.create(Article::draft("undone")).await.unwrap();
    let client = savepoint.postgres().await.unwrap();
    client.batch_execute(insert).await.unwrap_err();
    drop(client);
    savepoint.rollback().await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(store.count(&Query::<Article>::new()).await, Ok(1));
}

/// DRV-3: settings, locks, temporary tables, roles and cursors end with the client, and the connection is used again.
#[tokio::test(flavor = "multi_thread")]
async fn a_returned_connection_is_clean() {
    let Some(database) = postgres().await else { return };
    let store = narrow(&database).await;
    let client = store.postgres().await.unwrap();
    let first = process(&client).await;
    let (limit, idle) = (
        setting(&client, "lock_timeout").await,
        setting(&client, "idle_in_transaction_session_timeout").await,
    );
    assert_eq!((limit.as_str(), idle.as_str()), ("6s", "5500ms"));
    client
        .batch_execute(
            "SET lock_timeout = 0; SET search_path = pg_catalog; SET ROLE pg_monitor; \
             CREATE TEMP TABLE articles (title text); SELECT pg_advisory_lock(7); LISTEN news; \
             DECLARE held CURSOR WITH HOLD FOR SELECT 1",
        )
        .await
        .unwrap();
    drop(client);
    until_returned(&store).await;
    let client = store.postgres().await.unwrap();
    assert_eq!(process(&client).await, first);
    assert_eq!(setting(&client, "lock_timeout").await, limit);
    assert_eq!(
        setting(&client, "idle_in_transaction_session_timeout").await,
        idle
    );
    let left = "SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) \
                + (SELECT count(*) FROM pg_cursors WHERE name = 'held') + (SELECT count(*) FROM pg_listening_channels()) \
                + (SELECT count(*) FROM pg_class WHERE relpersistence = 't') \
                + (current_user <> session_user)::int";
    assert_eq!(client.query_one(left, &[]).await.unwrap().get::<_, i64>(0), 0);
    assert_eq!(count(&*client, "articles").await, 0);

    // Also after the commit of a transaction.
    drop(client);
    until_returned(&store).await;
    let transaction = store.begin().await.unwrap();
    let client = transaction.postgres().await.unwrap();
    client.batch_execute("SET lock_timeout = 1").await.unwrap();
    drop(client);
    transaction.commit().await.unwrap();
    until_returned(&store).await;
    let client = store.postgres().await.unwrap();
    assert_eq!(setting(&client, "lock_timeout").await, limit);
    assert_eq!(process(&client).await, first);
}

/// DRV-3: an open or failed transaction and a prepared name are not left to the next user.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_with_an_open_transaction_is_closed() {
    let Some(database) = postgres().await else { return };
    let store = narrow(&database).await;
    for sql in [
        "BEGIN; INSERT INTO categories (name, slug) VALUES ('a', 'a')",
        "BEGIN",
        "PREPARE theirs AS SELECT 1",
        "BEGIN; SELECT 1 / 0",
    ] {
        let client = store.postgres().await.unwrap();
        let first = process(&client).await;
        client.batch_execute(sql).await.ok();
        drop(client);
        until_returned(&store).await;
        let client = store.postgres().await.unwrap();
        assert_ne!(process(&client).await, first, "{sql}");
        assert_eq!(count(&*client, "categories").await, 0, "{sql}");
        client
            .batch_execute("PREPARE theirs AS SELECT 1; DEALLOCATE theirs")
            .await
            .unwrap();
    }
}

/// DRV-4: a statement whose future is dropped is cancelled, and its connection is not used again while it runs.
#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_statement_is_cancelled() {
    let Some(database) = postgres().await else { return };
    let store = narrow(&database).await;
    let lock = Lock::take(&database, "categories").await;
    for is_in_transaction in [false, true] {
        let writer = store.clone();
        let write = tokio::spawn(async move {
            let sql = "INSERT INTO categories (name, slug) VALUES ('late', 'late')";
            if is_in_transaction {
                let transaction = writer.begin().await?;
                transaction.postgres().await?.batch_execute(sql).await?;
                return transaction.commit().await;
            }
            writer.postgres().await?.batch_execute(sql).await?;
            Ok::<_, StoreError>(())
        });
        lock.until_waiting(1).await;
        write.abort();
        write.await.unwrap_err();
        // Before the lock is released, and before the time limit of locks.
        let begin = Instant::now();
        until_waiting(&database.url, 0).await;
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        store.wait_cancelled().await;
        process(&store.postgres().await.unwrap()).await;
    }
    lock.release().await;
    assert_eq!(store.count(&Query::<Category>::new()).await, Ok(0));
}

/// DRV-4: a panic gives the connection back.
#[tokio::test(flavor = "multi_thread")]
async fn a_panic_rolls_back_and_gives_the_connection_back() {
    let Some(database) = postgres().await else { return };
    let store = narrow(&database).await;
    for _ in 0..3 {
        let inside = store.clone();
        let panicked = tokio::spawn(async move {
            let transaction = inside.begin().await.unwrap();
            let client = transaction.postgres().await.unwrap();
            client.batch_execute(INSERT).await.unwrap();
            panic!("as the test asks");
        });
        assert!(panicked.await.unwrap_err().is_panic());
    }
    let client = store.postgres().await.unwrap();
    assert_eq!(count(&*client, "categories").await, 0);
}

/// DRV-5: many users of lent clients wait for each other, and leave connections to reads and writes of the store.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn lent_clients_leave_connections_to_others() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let sleeping = (0..40).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let client = store.postgres().await?;
            client.batch_execute("SELECT pg_sleep(0.3)").await?;
            Ok::<_, StoreError>(())
        })
    });
    let sleeping: Vec<_> = sleeping.collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begin = Instant::now();
    for number in 0..10 {
        store.create(Category::draft(&number.to_string())).await.unwrap();
    }
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap().len(), 10);
    assert!(
        sleeping.iter().any(|sleeper| !sleeper.is_finished()),
        "{:?}",
        begin.elapsed()
    );
    for sleeper in sleeping {
        sleeper.await.unwrap().unwrap();
    }
}

/// DRV-6: a client that outlives its transaction cannot write, and the commit fails.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_ends_with_its_transaction() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    for is_committed in [true, false] {
        let transaction = store.begin().await.unwrap();
        let inside = Store::clone(&transaction);
        let client = inside.postgres().await.unwrap();
        client.batch_execute(INSERT).await.unwrap();
        if is_committed {
            assert!(failure(transaction.commit().await).contains("before the commit"));
        } else {
            transaction.rollback().await.unwrap();
        }
        assert!(client.batch_execute(INSERT).await.is_err());
        assert!(failure(inside.postgres().await).contains("has ended"));
    }
    assert_eq!(store.count(&Query::<Category>::new()).await, Ok(0));
}

/// DRV-6: statements of a client are not lost with a savepoint that was dropped before them.
#[tokio::test(flavor = "multi_thread")]
async fn a_savepoint_that_is_dropped_beside_a_client_fails_the_transaction() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let transaction = store.begin().await.unwrap();
    let client = transaction.postgres().await.unwrap();
    drop(transaction.begin_nested().await.unwrap());
    client.batch_execute(INSERT).await.unwrap();
    drop(client);
    assert!(failure(transaction.commit().await).contains("savepoint"));
    assert_eq!(store.count(&Query::<Category>::new()).await, Ok(0));
}

/// DRV-7: a transaction is not idle while its client works, and ends if its client is idle.
#[tokio::test(flavor = "multi_thread")]
async fn the_idle_time_of_a_transaction_includes_its_client() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let transaction = store.begin().await.unwrap();
    let client = transaction.postgres().await.unwrap();
    client.batch_execute("SELECT pg_sleep(6.5)").await.unwrap();
    drop(client);
    transaction.create(Category::draft("kept")).await.unwrap();
    transaction.commit().await.unwrap();

    let transaction = store.begin().await.unwrap();
    let client = transaction.postgres().await.unwrap();
    client.batch_execute(INSERT).await.unwrap();
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert!(client.batch_execute("SELECT 1").await.is_err());
    drop(client);
    assert!(transaction.commit().await.is_err());
    assert_eq!(store.count(&Query::<Category>::new()).await, Ok(1));
}

/// DRV-8: without sessions, a client is lent inside of transactions only.
#[tokio::test(flavor = "multi_thread")]
async fn with_prepare_off_a_client_needs_a_transaction() {
    let Some(database) = postgres().await else { return };
    let separator = if database.url.contains('?') { '&' } else { '?' };
    let store = Store::open(&format!("{}{separator}prepare=off", database.url))
        .await
        .unwrap();
    assert!(failure(store.postgres().await).contains("Store::begin"));
    let transaction = store.begin().await.unwrap();
    let client = transaction.postgres().await.unwrap();
    assert_eq!(
        setting(&client, "idle_in_transaction_session_timeout").await,
        "5500ms"
    );
    client
        .execute("INSERT INTO categories (name, slug) VALUES ($1, $1)", &[&"a"])
        .await
        .unwrap();
    drop(client);
    transaction.commit().await.unwrap();
    assert_eq!(store.count(&Query::<Category>::new()).await, Ok(1));
    let names =
        Sql::new("SELECT count(*) AS names FROM pg_prepared_statements WHERE statement LIKE 'INSERT%'");
    assert_eq!(store.fetch(names).await.unwrap()[0].get::<i64>("names"), Ok(0));
}
