//! PostgreSQL servers that hang, fail over, refuse connections or writes, or lose their tables.

use std::time::{Duration, Instant};

use model_resource_schema::model::Model;
use model_resource_store::{Query, Sql, Store, StoreError, StoreResult};
use private_postgres::{Cluster, ClusterSettings};
use tokio_postgres::NoTls;

use crate::database::{ask, postgres, unavailable};
use crate::dedicated_server::{dedicated_server, standby_of};
use crate::models::{Article, Category};

async fn open(url: &str) -> Store {
    let store = Store::open(url).await.unwrap();
    let tables = [Category::table(), Article::table()];
    store.create_tables(&tables).await.unwrap();
    store
}

/// Repeats a call until it succeeds, and returns how long that took.
async fn until_ok<T, F>(mut call: impl FnMut() -> F) -> Duration
where
    F: Future<Output = StoreResult<T>>,
{
    let begin = Instant::now();
    while let Err(error) = call().await {
        assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    begin.elapsed()
}

/// LOAD-60: statements fail while the server hangs, at once after that is known, and succeed once it continues.
#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_server_is_left_and_used_again_when_it_continues() {
    let Some(server) = dedicated_server(&ClusterSettings::default()) else {
        return;
    };
    let store = open(server.url()).await;
    store.create(Category::draft("before")).await.unwrap();
    let read = Query::<Category>::new();
    let frozen = server.freeze().unwrap();
    let begin = Instant::now();
    let calls = tokio::join!(
        store.all(&read),
        store.create(Category::draft("meanwhile")),
        store.begin(),
        store.ping()
    );
    unavailable(calls.0);
    unavailable(calls.1);
    unavailable(calls.2);
    unavailable(calls.3);
    // Well within the request timeout; usually 0.75 s.
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    let begin = Instant::now();
    for _ in 0..100 {
        unavailable(store.all(&read).await);
        unavailable(store.create(Category::draft("meanwhile")).await);
    }
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    drop(frozen);
    let back = until_ok(|| store.all(&read)).await;
    assert!(back < Duration::from_secs(10), "{back:?}");
    store.create(Category::draft("after")).await.unwrap();
}

fn both(primary: &Cluster, standby: &Cluster) -> String {
    let folders = [primary, standby].map(|cluster| cluster.socket_folder().display().to_string());
    format!(
        "postgres://postgres@{}/postgres",
        folders.join(",").replace('/', "%2F")
    )
}

/// LOAD-61: with several addresses in the URL, writes continue on the promoted standby.
#[tokio::test(flavor = "multi_thread")]
async fn writes_continue_on_a_promoted_standby_when_the_primary_freezes() {
    let Some(primary) = dedicated_server(&ClusterSettings::default()) else {
        return;
    };
    let standby = standby_of(&primary);
    let store = open(&both(&primary, &standby)).await;
    store.create(Category::draft("before")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let frozen = primary.freeze().unwrap();
    standby.promote().unwrap();
    let mut number = 0;
    let failover = until_ok(|| {
        number += 1;
        store.create(Category::draft(&format!("after {number}")))
    });
    let failover = failover.await;
    assert!(failover < Duration::from_secs(10), "{failover:?}");
    let found = Store::open(standby.url()).await.unwrap();
    let names = found.all(&Query::<Category>::new()).await.unwrap();
    assert!(names.iter().any(|category| category.name.starts_with("after")));
    drop(frozen);
}

/// LOAD-62: a server that became read-only is left when a write finds out.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_becomes_read_only_is_unavailable_for_writes_until_it_accepts_them() {
    let Some(server) = dedicated_server(&ClusterSettings::default()) else {
        return;
    };
    let store = open(server.url()).await;
    let (admin, connection) = tokio_postgres::connect(server.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    let set = async |mode: &str| {
        // Not in a read-only transaction itself.
        let sql = format!("ALTER SYSTEM SET default_transaction_read_only = {mode}");
        admin
            .batch_execute("SET default_transaction_read_only = off")
            .await
            .unwrap();
        admin.batch_execute(&sql).await.unwrap();
        admin.batch_execute("SELECT pg_reload_conf()").await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    set("on").await;
    for number in 0..20 {
        unavailable(store.create(Category::draft(&number.to_string())).await);
        store.all(&Query::<Category>::new()).await.unwrap();
    }
    set("off").await;
    until_ok(|| store.create(Category::draft("after"))).await;
}

/// LOAD-41, LOAD-62: the check of writes does not believe an open session, which keeps the default that it began with.
#[tokio::test(flavor = "multi_thread")]
async fn the_check_of_writes_passes_once_the_database_is_no_longer_read_only() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    store.check_writable().await.unwrap();
    let name = database
        .url
        .split(['/', '?'])
        .find(|part| part.starts_with("test_store"));
    let name = name.unwrap();
    let set = async |change: &str| {
        let sql = format!(
            "BEGIN READ WRITE; ALTER DATABASE {name} {change}; \
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND '{change}' LIKE 'SET%'; COMMIT"
        );
        ask(&database.url, &sql).await;
    };
    set("SET default_transaction_read_only = on").await;
    for number in 0..10 {
        unavailable(store.check_writable().await);
        unavailable(store.create(Category::draft(&number.to_string())).await);
        store.ping().await.unwrap();
    }
    set("RESET default_transaction_read_only").await;
    store.check_writable().await.unwrap();
    store.create(Category::draft("after")).await.unwrap();
}

/// LOAD-63: a table that is gone is the operator's to restore, not a bug of the program.
#[tokio::test(flavor = "multi_thread")]
async fn dropped_tables_are_unavailable_until_they_are_back() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    store.all(&Query::<Article>::new()).await.unwrap();
    ask(&database.url, "ALTER TABLE articles RENAME TO hidden").await;
    for _ in 0..3 {
        unavailable(store.all(&Query::<Article>::new()).await);
        unavailable(store.create(Article::draft("a")).await);
    }
    store.all(&Query::<Category>::new()).await.unwrap();
    ask(&database.url, "ALTER TABLE hidden RENAME TO articles").await;
    store.create(Article::draft("a")).await.unwrap();
    store.all(&Query::<Article>::new()).await.unwrap();
}

/// LOAD-64: all connections of a process stay within the limit.
#[tokio::test(flavor = "multi_thread")]
async fn the_connections_of_a_process_stay_within_their_limit() {
    let Some(database) = postgres().await else { return };
    let url = format!("{}&application_name=limited&max_connections=8", database.url);
    let store = Store::open(&url).await.unwrap();
    let work = (0..200).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let name = number.to_string();
            match number % 4 {
                0 => store.create(Category::draft(&name)).await.map(drop),
                1 => store.all(&Query::<Category>::new()).await.map(drop),
                2 => store.count(&Query::<Category>::new()).await.map(drop),
                _ => {
                    let transaction = store.begin().await?;
                    transaction.create(Article::draft(&name)).await?;
                    transaction.commit().await
                }
            }
        })
    });
    let work: Vec<_> = work.collect();
    let (client, connection) = tokio_postgres::connect(&database.url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'limited'";
    let mut most = 0;
    while work.iter().any(|work| !work.is_finished()) {
        most = most.max(client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0));
    }
    for work in work {
        work.await.unwrap().unwrap();
    }
    assert!((2..=8).contains(&most), "{most} connections");
}

/// LOAD-65: a lock on one table delays no reads and writes of others, however many clients wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_locked_table_delays_no_others() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let category = store.create(Category::draft("a")).await.unwrap();
    let article = store.create(Article::draft("a")).await.unwrap();
    let lock = crate::cancellation::Lock::take_in(&database, "articles", "ACCESS EXCLUSIVE").await;
    let readers: Vec<_> = (0..30)
        .map(|number| {
            let (store, key) = (store.clone(), article.id);
            tokio::spawn(async move {
                match number % 3 {
                    0 => store.get::<Article>(key).await.map(drop),
                    1 => store.count(&Query::<Article>::new()).await.map(drop),
                    _ => store.create(Article::draft("b")).await.map(drop),
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let begin = Instant::now();
    for number in 0..50 {
        store.get::<Category>(category.id).await.unwrap().unwrap();
        store.count(&Query::<Category>::new()).await.unwrap();
        store.create(Category::draft(&number.to_string())).await.unwrap();
    }
    // The lock is held for seconds more, and each of the others waits for it.
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    assert!(readers.iter().all(|reader| !reader.is_finished()));
    lock.release().await;
    for reader in readers {
        reader.await.unwrap().unwrap();
    }
}

/// LOAD-65: a read that waits for a lock until its time limit is not too broad, but unavailable.
#[tokio::test(flavor = "multi_thread")]
async fn reads_that_wait_for_a_lock_until_their_time_limit_are_unavailable() {
    let Some(database) = postgres().await else { return };
    let store = Store::open(&format!("{}&search_timeout=1", database.url))
        .await
        .unwrap();
    let article = store.create(Article::draft("a")).await.unwrap();
    let lock = crate::cancellation::Lock::take_in(&database, "articles", "ACCESS EXCLUSIVE").await;
    for _ in 0..2 {
        let causes = [
            unavailable(store.get::<Article>(article.id).await),
            unavailable(store.all(&Query::<Article>::new()).await),
            unavailable(store.count(&Query::<Article>::new()).await),
        ];
        for cause in causes {
            assert!(cause.contains("55P03"), "{cause}");
        }
    }
    lock.release().await;
    store.get::<Article>(article.id).await.unwrap().unwrap();
}

/// LOAD-65: a read by key that takes too long has no filters to narrow.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_by_key_that_takes_too_long_is_unavailable() {
    let Some(database) = postgres().await else { return };
    let store = Store::open(&format!("{}&search_timeout=0.2", database.url))
        .await
        .unwrap();
    let category = store.create(Category::draft("a")).await.unwrap();
    let slow = "ALTER TABLE categories RENAME TO hidden; \
                CREATE VIEW categories AS SELECT hidden.* FROM pg_sleep(60), hidden";
    ask(&database.url, slow).await;
    let cause = unavailable(store.get::<Category>(category.id).await);
    assert!(cause.contains("read by key"), "{cause}");
    let search = store.count(&Query::<Category>::new()).await;
    assert!(matches!(search, Err(StoreError::TooSlow(_))), "{search:?}");
}

/// LOAD-67, LOAD-68: a row is found by a unique column without waiting for searches, as a login needs it; the status
/// tells how many searches wait.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_found_by_a_unique_column_while_searches_use_all_their_connections() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    store.create(Category::draft("a")).await.unwrap();
    let searches: Vec<_> = (0..10)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.fetch(Sql::new("SELECT pg_sleep(4)")).await.map(drop) })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let by_name = Query::<Category>::new().filter(Category::NAME.eq("a".to_owned()));
    for _ in 0..20 {
        assert!(store.first(&by_name).await.unwrap().is_some());
    }
    assert!(searches.iter().all(|search| !search.is_finished()));
    let status = store.status();
    let lane = |name: &str| *status.lanes.iter().find(|lane| lane.name == name).unwrap();
    // Ten searches, of which six run.
    let running = lane("searches");
    assert_eq!((running.connections, running.idle, running.waiting), (6, 0, 4));
    assert!(lane("reads").connections > 0);
    assert_eq!(lane("writes").waiting, 0);
    for search in searches {
        search.abort();
    }
}

/// LOAD-68: a search that gets no connection in time is refused, and counted for its lane.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_gets_no_connection_in_time_is_counted() {
    let Some(database) = postgres().await else { return };
    // One connection for searches.
    let url = format!("{}&max_connections=6&search_timeout=20", database.url);
    let store = Store::open(&url).await.unwrap();
    let search = || async { store.fetch(Sql::new("SELECT pg_sleep(7)")).await.map(drop) };
    let (one, other) = tokio::join!(search(), search());
    let causes: Vec<String> = [one, other]
        .into_iter()
        .filter(Result::is_err)
        .map(unavailable)
        .collect();
    assert_eq!(causes.len(), 1, "{causes:?}");
    assert!(causes[0].contains("wait for a connection"), "{causes:?}");
    let status = store.status();
    let expired: Vec<_> = status
        .lanes
        .iter()
        .map(|lane| (lane.name, lane.expired))
        .collect();
    assert!(expired.contains(&("searches", 1)), "{expired:?}");
    assert!(expired.contains(&("writes", 0)), "{expired:?}");
    assert_eq!(status.refused_searches, 1);
    assert!(status.group_sizes.is_empty());
}
