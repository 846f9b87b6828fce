//! Cancellation of writes on PostgreSQL and of searches when their callers are dropped.

use std::time::Duration;

use model_resource_schema::draft::Draft;
use model_resource_schema::model::Model;
use model_resource_schema::query::{AnyWhere, FieldPath, Pattern, Predicate};
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, ListQuery, Query, Store};
use tokio_postgres::{Client, NoTls};

use crate::database::{Postgres, ask, in_file, postgres};
use crate::models::{Article, Category};

/// A table lock of another session, which blocks every write until it is released.
pub(crate) struct Lock {
    holder: Client,
    url: String,
}

impl Lock {
    pub(crate) async fn take(database: &Postgres, table: &str) -> Self {
        Self::take_in(database, table, "EXCLUSIVE").await
    }

    pub(crate) async fn take_in(database: &Postgres, table: &str, mode: &str) -> Self {
        let holder = connect(&database.url).await;
        let sql = format!("BEGIN; LOCK TABLE {table} IN {mode} MODE");
        holder.batch_execute(&sql).await.unwrap();
        let url = database.url.clone();
        Self { holder, url }
    }

    pub(crate) async fn until_waiting(&self, count: i64) {
        until_waiting(&self.url, count).await;
    }

    pub(crate) async fn release(self) {
        self.holder.batch_execute("ROLLBACK").await.unwrap();
    }
}

/// Waits until this number of statements wait for a lock.
pub(crate) async fn until_waiting(url: &str, count: i64) {
    // Not on the connection that holds the lock: inside a transaction, the view of others' activity is frozen.
    let watcher = connect(url).await;
    let sql = "SELECT count(*) FROM pg_stat_activity \
               WHERE datname = current_database() AND wait_event_type = 'Lock'";
    for _ in 0..1000 {
        if watcher.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never did {count} statements wait for a lock");
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_dropped_while_it_waits_for_a_lock_is_not_made() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let kept = store.create(Category::draft("kept")).await.unwrap();
    let lock = Lock::take(&database, "categories").await;
    let mut draft = Draft::of(&kept);
    draft.set(Category::NAME, "changed".to_owned());
    let writes = [
        spawn(store, |store| async move {
            store.create(Category::draft("new")).await.map(drop)
        }),
        spawn(store, |store| async move { store.save(draft).await.map(drop) }),
        {
            let kept = kept.clone();
            spawn(store, |store| async move { store.remove(&kept).await.map(drop) })
        },
    ];
    lock.until_waiting(3).await;
    for write in writes {
        write.abort();
        assert!(write.await.unwrap_err().is_cancelled());
    }
    store.wait_cancelled().await;
    lock.until_waiting(0).await;
    lock.release().await;
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap(), [kept]);
    store.create(Category::draft("after")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_dropped_while_it_waits_for_a_lock_blocks_nobody() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let lock = Lock::take(&database, "categories").await;
    let write = spawn(store, |store| async move {
        let transaction = store.begin().await?;
        transaction.create(Article::draft("first")).await?;
        transaction.create(Category::draft("second")).await?;
        transaction.commit().await
    });
    lock.until_waiting(1).await;
    write.abort();
    assert!(write.await.unwrap_err().is_cancelled());
    lock.until_waiting(0).await;
    lock.release().await;
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
    assert!(store.all(&Query::<Article>::new()).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_writes_do_not_cancel_others() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let kept = (0..200).map(|number| {
        let title = format!("kept {number}");
        spawn(store, |store| async move {
            store.create(Article::draft(&title)).await.map(drop)
        })
    });
    let kept: Vec<_> = kept.collect();
    let given_up = (0..100).map(|number| {
        let write = store.create(Article::draft("given up"));
        tokio::time::timeout(Duration::from_micros(number * 100), write)
    });
    let made = futures_util::future::join_all(given_up).await;
    for write in kept {
        write.await.unwrap().unwrap();
    }
    store.wait_cancelled().await;
    let count = store.all(&Query::<Article>::new()).await.unwrap().len();
    let made = made.into_iter().filter(Result::is_ok).count();
    assert!((200 + made..=300).contains(&count), "{count} rows, {made} made");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(store.all(&Query::<Article>::new()).await.unwrap().len(), count);
}

/// Articles whose titles contain one of this number of texts.
fn search(texts: usize) -> AnyQuery {
    let path = FieldPath::from(Article::TITLE);
    let contains = |number| Predicate::Like(Pattern::containing(format!("text {number}")).ignoring_case());
    let tests = (0..texts).map(|number| AnyWhere::Compare(path.clone(), contains(number)));
    AnyQuery::from(Article::table()).restrict(AnyWhere::Or(tests.collect()))
}

fn spawn_searches(
    store: &Store,
    texts: usize,
) -> Vec<tokio::task::JoinHandle<model_resource_store::StoreResult<()>>> {
    let search = search(texts);
    let searches = (0..8).map(|number| {
        let search = search.clone();
        spawn(store, move |store| async move {
            match number % 2 {
                0 => store.count(&search).await.map(drop),
                _ => store.all_of::<Article>(&ListQuery::of(search)).await.map(drop),
            }
        })
    });
    searches.collect()
}

/// Each search would take minutes, and there are more than reader threads.
#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_search_in_sqlite_is_interrupted() {
    let (store, _folder) = in_file().await;
    let title = "a long title without it ".repeat(10_000);
    for _ in 0..200 {
        store.create(Article::draft(&title)).await.unwrap();
    }
    let searches = spawn_searches(&store, 900);
    // Waits until they have begun.
    tokio::time::sleep(Duration::from_millis(200)).await;
    for search in searches {
        search.abort();
        assert!(search.await.unwrap_err().is_cancelled());
    }
    let query = AnyQuery::from(Article::table());
    let found = tokio::time::timeout(Duration::from_secs(20), store.find_any(&query, Value::Int(1)));
    assert!(
        found
            .await
            .expect("the readers are free again")
            .unwrap()
            .is_some()
    );
}

/// The searches wait for a lock, and are more than the shared connections.
#[tokio::test(flavor = "multi_thread")]
async fn searches_on_postgres_block_nobody_and_are_cancelled_when_dropped() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let kept = store.create(Category::draft("kept")).await.unwrap();
    let lock = Lock::take_in(&database, "articles", "ACCESS EXCLUSIVE").await;
    let searches = spawn_searches(store, 2);
    // The others leave connections to searches in other tables.
    lock.until_waiting(4).await;
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap(), [kept]);
    for search in searches {
        search.abort();
        assert!(search.await.unwrap_err().is_cancelled());
    }
    lock.until_waiting(0).await;
    lock.release().await;
}

/// A read that fails after its caller has stopped waiting aborts the transaction, which the server then rolls back at the
/// commit without an error.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_whose_dropped_read_has_failed_is_not_committed() {
    let Some(database) = postgres().await else { return };
    let store = &database.store;
    let lock = Lock::take_in(&database, "articles", "ACCESS EXCLUSIVE").await;
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("lost")).await.unwrap();
    let articles = Query::<Article>::new();
    let read = transaction.all(&articles);
    let dropped = tokio::time::timeout(Duration::from_millis(200), read).await;
    assert!(dropped.is_err(), "the read should wait for the lock");
    ask(
        &database.url,
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    .await;
    lock.until_waiting(0).await;
    assert!(transaction.commit().await.is_err());
    lock.release().await;
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
}

/// Spawns a task that can be aborted.
fn spawn<F>(
    store: &Store,
    work: impl FnOnce(Store) -> F,
) -> tokio::task::JoinHandle<model_resource_store::StoreResult<()>>
where
    F: Future<Output = model_resource_store::StoreResult<()>> + Send + 'static,
{
    tokio::spawn(work(store.clone()))
}
