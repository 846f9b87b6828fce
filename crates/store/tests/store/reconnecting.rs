//! Lost PostgreSQL connections, and requests that are dropped midway.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use model_resource_schema::draft::Draft;
use model_resource_schema::value::Value;
use model_resource_store::{Query, Sql, Store};

use crate::cancellation::Lock;
use crate::database::{Postgres, ask, postgres, unavailable};
use crate::models::{Article, Category};
use crate::proxy::Proxy;

/// Maximum time of what a busy machine delays.
const MAX_DELAY: Duration = Duration::from_secs(60);

/// Terminates all connections of the store, as a restart of the server would, and waits until they are closed.
async fn cut(database: &Postgres) {
    let sql = "SET statement_timeout = '60s'; DO $$ DECLARE pids int[]; BEGIN \
               SELECT array_agg(pid) INTO pids FROM pg_stat_activity \
               WHERE datname = current_database() AND application_name = 'model-resource'; \
               PERFORM pg_terminate_backend(pid) FROM unnest(pids) pid; \
               WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid = ANY(pids)) LOOP \
               PERFORM pg_sleep(0.005), pg_stat_clear_snapshot(); \
               END LOOP; END $$";
    ask(&database.url, sql).await;
}

/// Waits until a store has noticed that its connections are closed.
async fn until_noticed(store: &Store) {
    let deadline = Instant::now() + MAX_DELAY;
    while store.status().lanes.iter().any(|lane| lane.connections > 0) {
        assert!(Instant::now() < deadline, "{:?}", store.status());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_writes_reconnect_after_connections_are_lost() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let mut category = store.create(Category::draft("0")).await.unwrap();
    for number in 1..10 {
        // Opens all shared connections.
        let reads = (0..32).map(|_| store.get::<Category>(category.id));
        futures_util::future::try_join_all(reads).await.unwrap();
        cut(&database).await;
        until_noticed(store).await;
        let mut draft = Draft::of(&category);
        draft.set(Category::NAME, number.to_string());
        category = store.save(draft).await.unwrap();
        assert_eq!(
            store.get::<Category>(category.id).await.unwrap(),
            Some(category.clone())
        );
        let transaction = store.begin().await.unwrap();
        transaction.create(Article::draft("a")).await.unwrap();
        transaction.commit().await.unwrap();
    }
    assert_eq!(store.all(&Query::<Article>::new()).await.unwrap().len(), 9);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_reconnects_with_the_only_connection_for_transactions() {
    let Some(database) = postgres().await else { return };
    let url = format!("{}&max_connections=6", database.url);
    let store = Store::open(&url).await.unwrap();
    for number in 0..3 {
        let transaction = store.begin().await.unwrap();
        transaction.create(Article::draft("kept")).await.unwrap();
        transaction.commit().await.unwrap();
        cut(&database).await;
        until_noticed(&store).await;
        let transaction = store.begin().await.unwrap();
        if number == 1 {
            assert_eq!(transaction.get::<Article>(1).await.unwrap().unwrap().id, 1);
        }
        transaction.create(Article::draft("new")).await.unwrap();
        transaction.commit().await.unwrap();
    }
    assert_eq!(store.all(&Query::<Article>::new()).await.unwrap().len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_read_that_is_dropped_leaves_no_transaction_open() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let article = store.create(Article::draft("a")).await.unwrap();
    for is_committed in [true, false, true, false] {
        let transaction = store.begin().await.unwrap();
        {
            let mut read = Box::pin(transaction.get::<Article>(article.id));
            assert!((&mut read).now_or_never().is_none());
        }
        if is_committed {
            transaction.commit().await.unwrap();
        } else {
            transaction.rollback().await.unwrap();
        }
        let open = "SELECT count(*) FROM pg_stat_activity \
                    WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
        let open = store.fetch(Sql::new(open)).await.unwrap();
        assert_eq!(open[0].get::<i64>("count").unwrap(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_connections_are_cut_reads_succeed_and_writes_happen_at_most_once() {
    let Some(database) = postgres().await else { return };
    let store = database.store.clone();
    let writes = (0..4).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut done = Vec::new();
            for number in 0..100 {
                let name = format!("{writer}-{number}");
                match store.create(Article::draft(&name)).await {
                    Ok(_) => done.push(name),
                    failed => drop(unavailable(failed)),
                }
                store.all(&Query::<Category>::new()).await.unwrap();
            }
            done
        })
    });
    let writes: Vec<_> = writes.collect();
    for _ in 0..5 {
        cut(&database).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    let mut done = Vec::new();
    for write in writes {
        done.extend(write.await.unwrap());
    }
    let all = store.all(&Query::<Article>::new()).await.unwrap();
    let mut titles: Vec<String> = all.into_iter().map(|article| article.title).collect();
    assert!(done.iter().all(|name| titles.contains(name)));
    let count = titles.len();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), count, "a write happened twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_connection_is_lost_after_sending_is_not_retried() {
    let Some(database) = postgres().await else { return };
    let store = database.store.clone();
    // The statement is already prepared, so the write itself waits for the lock.
    store.create(Category::draft("first")).await.unwrap();
    let lock = Lock::take(&database, "categories").await;
    let write = tokio::spawn(async move { store.create(Category::draft("once")).await });
    lock.until_waiting(1).await;
    cut(&database).await;
    lock.release().await;
    unavailable(write.await.unwrap());
    let store = &database.store;
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap().len(), 1);
    store.create(Category::draft("once")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_response_is_lost_is_made_once_and_unavailable() {
    let Some(database) = postgres().await else { return };
    let (proxy, url) = Proxy::start(&database.url).await;
    let store = Store::open(&url).await.unwrap();
    store.create(Article::draft("before")).await.unwrap();
    let connections = proxy.connections.load(Ordering::Relaxed);
    proxy.is_losing.store(true, Ordering::Relaxed);
    unavailable(store.create(Article::draft("lost")).await);
    assert_eq!(
        proxy.connections.load(Ordering::Relaxed),
        connections,
        "it was tried again"
    );
    proxy.is_losing.store(false, Ordering::Relaxed);
    let titles = || async {
        let all = store.all(&Query::<Article>::new()).await.unwrap();
        all.into_iter().map(|article| article.title).collect::<Vec<_>>()
    };
    assert_eq!(titles().await, ["before", "lost"]);
    store.create(Article::draft("after")).await.unwrap();
    assert_eq!(titles().await, ["before", "lost", "after"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_found_by_keys_are_read_again_if_the_connection_is_lost_between_them() {
    let Some(database) = postgres().await else { return };
    let (proxy, url) = Proxy::start(&database.url).await;
    let store = Store::open(&url).await.unwrap();
    let mut created = Vec::new();
    for title in ["a", "b"] {
        let article = Article::draft(&title.repeat(50_000));
        created.push(store.create(article).await.unwrap());
    }
    let keys: Vec<_> = created.iter().map(|article| Value::Int(article.id)).collect();
    // Opens the connection.
    store.get_many::<Article>(keys.clone()).await.unwrap();
    let connections = proxy.connections.load(Ordering::Relaxed);
    proxy.cut_after.store(75_000, Ordering::Relaxed);
    assert_eq!(store.get_many::<Article>(keys).await, Ok(created));
    assert!(
        proxy.connections.load(Ordering::Relaxed) > connections,
        "no connection was lost"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_whose_connection_is_lost_is_rolled_back_and_fails() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("a")).await.unwrap();
    cut(&database).await;
    unavailable(transaction.create(Category::draft("b")).await);
    unavailable(transaction.commit().await);
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_requests_leave_the_connections_usable() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let sql =
        "INSERT INTO articles (title, views) SELECT repeat('x', 1000), n FROM generate_series(1, 5000) n";
    ask(&database.url, sql).await;
    for micros in 0..200 {
        let query = Query::<Article>::new();
        let all = store.all(&query);
        tokio::time::timeout(Duration::from_micros(micros * 50), all)
            .await
            .ok();
        let first = store.first(&Query::<Article>::new()).await.unwrap().unwrap();
        assert_eq!(first.views, 1);
    }
    assert_eq!(store.all(&Query::<Article>::new()).await.unwrap().len(), 5000);
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_calls_never_commit_a_transaction_partially() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    for micros in 0..50 {
        let transaction = store.begin().await.unwrap();
        transaction.create(Article::draft("first")).await.unwrap();
        let second = transaction.create(Article::draft("second"));
        let second = tokio::time::timeout(Duration::from_micros(micros * 20), second).await;
        let committed = transaction.commit().await.is_ok();
        let count = store.all(&Query::<Article>::new()).await.unwrap().len();
        assert_eq!(count % 2, 0, "half a transaction was committed");
        assert!(second.is_ok() || !committed || count == 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_server_is_unavailable_and_its_password_stays_secret() {
    let cause = unavailable(Store::open("postgres://me:secret@127.0.0.1:1/db").await);
    assert!(!cause.contains("secret"), "{cause}");
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_are_prepared_again_after_a_schema_change() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let article = store.create(Article::draft("a")).await.unwrap();
    for column_type in ["integer", "bigint", "smallint"] {
        let sql = format!("ALTER TABLE articles ALTER COLUMN views TYPE {column_type}");
        ask(&database.url, &sql).await;
        assert_eq!(
            store.get::<Article>(article.id).await.unwrap(),
            Some(article.clone())
        );
        store.create(Article::draft("b")).await.unwrap();
    }
}
