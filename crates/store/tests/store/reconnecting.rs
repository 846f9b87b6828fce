//! PostgreSQL connections that are lost, and requests that go away in the middle.

use std::sync::atomic::Ordering;
use std::time::Duration;

use model_resource_schema::draft::Draft;
use model_resource_store::{Query, Store};

use crate::database::{Postgres, ask, postgres, unavailable};
use crate::giving_up::Lock;
use crate::models::{Article, Category};
use crate::proxy::Proxy;

/// Ends all connections of the store, as a restart of the server would.
async fn cut(database: &Postgres) {
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND application_name = 'model-resource'";
    ask(&database.url, sql).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_connections_are_cut_reads_and_writes_go_on_by_themselves() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let mut category = store.create(Category::draft("0")).await.unwrap();
    for number in 1..10 {
        // All of the shared connections are open.
        let reads = (0..32).map(|_| store.get::<Category>(category.id));
        futures_util::future::try_join_all(reads).await.unwrap();
        cut(&database).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
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
async fn a_write_whose_connection_is_lost_after_it_was_sent_is_not_tried_again() {
    let Some(database) = postgres().await else { return };
    let store = database.store.clone();
    // The statement is prepared, so that what waits for the lock is the write itself.
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
async fn a_write_whose_answer_is_lost_has_happened_once_and_is_unavailable() {
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
async fn a_transaction_whose_connection_is_cut_is_undone_and_says_that_it_cannot_go_on() {
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
async fn requests_that_are_dropped_in_the_middle_leave_the_connections_usable() {
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
async fn calls_inside_a_transaction_that_are_dropped_in_the_middle_never_half_commit_it() {
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
async fn a_server_that_is_not_there_is_unavailable_and_its_password_stays_secret() {
    let cause = unavailable(Store::open("postgres://me:secret@127.0.0.1:1/db").await);
    assert!(!cause.contains("secret"), "{cause}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_change_their_shape_are_read_by_new_statements() {
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
