//! An application's own code for rusqlite, on the connections and in the transactions of the store.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use model_resource_store::{Query, Sql, Store, StoreError};
use rusqlite::Connection;

use crate::database::{failure, field_errors, in_file, in_memory, on, postgres, url};
use crate::models::{Article, Category};

fn count(connection: &Connection, table: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get(0))
}

fn insert(connection: &Connection, name: &str) -> rusqlite::Result<usize> {
    connection.execute("INSERT INTO categories (name, slug) VALUES (?1, ?1)", [name])
}

async fn categories(store: &Store) -> u64 {
    store.count(&Query::<Category>::new()).await.unwrap()
}

on!(code_reads_and_writes_on_the_connections_of_the_store: in_memory, in_file);
/// DRV-1: code reads what is committed, and its writes are committed together.
async fn code_reads_and_writes_on_the_connections_of_the_store(store: Store) {
    let (reads, writes) = (store.read_count(), store.writes());
    let id = store.sqlite_write(|connection| {
        insert(connection, "a")?;
        insert(connection, "b")?;
        Ok(connection.last_insert_rowid())
    });
    assert_eq!(id.await, Ok(2));
    let names = store.sqlite_read(|connection| {
        let mut names = connection.prepare("SELECT name FROM categories ORDER BY name")?;
        let names = names.query_map((), |row| row.get::<_, String>(0))?;
        names.collect::<rusqlite::Result<Vec<_>>>()
    });
    assert_eq!(names.await.unwrap(), ["a", "b"]);
    assert_eq!((store.read_count(), store.writes()), (reads + 1, writes + 1));
}

on!(code_that_fails_writes_nothing: in_memory, in_file);
/// DRV-2: code that fails or panics writes nothing, and others are not affected.
async fn code_that_fails_writes_nothing(store: Store) {
    let others = (0..20).map(|number| {
        let store = store.clone();
        tokio::spawn(async move { store.create(Category::draft(&format!("other {number}"))).await })
    });
    let others: Vec<_> = others.collect();
    let violated = store.sqlite_write(|connection| {
        insert(connection, "a")?;
        insert(connection, "a")
    });
    field_errors(violated.await);
    let given_up = store.sqlite_write(|connection| {
        insert(connection, "a")?;
        connection.query_row("SELECT 1 WHERE 0", (), |row| row.get::<_, i64>(0))
    });
    assert_eq!(given_up.await, Err(StoreError::Missing));
    let panicked = store.sqlite_write(|connection| {
        insert(connection, "a")?;
        if count(connection, "categories")? > 0 {
            panic!("as the test asks");
        }
        Ok(())
    });
    assert!(failure(panicked.await).contains("as the test asks"));
    let panicked = store.sqlite_read(|_| -> rusqlite::Result<()> { panic!("as the test asks") });
    assert!(failure(panicked.await).contains("as the test asks"));
    for other in others {
        other.await.unwrap().unwrap();
    }
    assert_eq!(categories(&store).await, 20);
    // Statements of the store are not restricted afterwards.
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("a")).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(categories(&store).await, 21);
}

on!(code_in_a_transaction_is_committed_with_it: in_memory, in_file);
/// DRV-2: code inside of a transaction sees its writes, and is committed or rolled back with it; a failure undoes the code
/// alone.
async fn code_in_a_transaction_is_committed_with_it(store: Store) {
    for is_committed in [false, true] {
        let transaction = store.begin().await.unwrap();
        transaction.create(Article::draft("an article")).await.unwrap();
        let written = transaction.sqlite_write(|connection| {
            insert(connection, "a")?;
            count(connection, "articles")
        });
        assert_eq!(written.await, Ok(1));
        let failed = transaction.sqlite_write(|connection| {
            insert(connection, "b")?;
            insert(connection, "a")
        });
        field_errors(failed.await);
        let panicked = transaction.sqlite_write(|connection| -> rusqlite::Result<()> {
            insert(connection, "c")?;
            panic!("as the test asks");
        });
        failure(panicked.await);
        let seen = transaction.sqlite_read(|connection| count(connection, "categories"));
        assert_eq!(seen.await, Ok(1));
        assert_eq!(transaction.count(&Query::<Category>::new()).await, Ok(1));
        if is_committed {
            transaction.commit().await.unwrap();
        } else {
            transaction.rollback().await.unwrap();
        }
        let expected = u64::from(is_committed);
        assert_eq!(categories(&store).await, expected);
        assert_eq!(store.count(&Query::<Article>::new()).await, Ok(expected));
    }
}

on!(code_runs_in_a_deferred_transaction: in_memory, in_file);
/// DRV-2: code that writes begins a deferred transaction, and is undone with it.
async fn code_runs_in_a_deferred_transaction(store: Store) {
    for is_committed in [false, true] {
        let transaction = store.defer();
        let inside = transaction.store().clone();
        let work = async move {
            inside.sqlite_write(|connection| insert(connection, "a")).await?;
            inside.create(Article::draft("an article")).await?;
            let seen = inside.sqlite_read(|connection| count(connection, "articles"));
            assert_eq!(seen.await, Ok(1));
            if is_committed {
                Ok(())
            } else {
                Err(StoreError::Missing)
            }
        };
        let ended = transaction.run_grouped(work).await.unwrap();
        assert_eq!(ended.is_ok(), is_committed);
        let expected = u64::from(is_committed);
        assert_eq!(categories(&store).await, expected);
        assert_eq!(store.count(&Query::<Article>::new()).await, Ok(expected));
    }
}

on!(statements_that_would_outlive_the_code_are_refused: in_memory, in_file);
/// DRV-3: transactions, settings, attached databases and temporary tables of the code are refused, and the connection is as
/// before for others.
async fn statements_that_would_outlive_the_code_are_refused(store: Store) {
    for sql in [
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "RELEASE nested",
        "SAVEPOINT nested",
        "PRAGMA foreign_keys = OFF",
        "PRAGMA journal_mode(delete)",
        "ATTACH ':memory:' AS other",
        "CREATE TEMP TABLE articles (title TEXT)",
    ] {
        for is_read in [true, false] {
            let work = move |connection: &Connection| connection.execute_batch(sql);
            let refused = if is_read {
                store.sqlite_read(work).await
            } else {
                store.sqlite_write(work).await
            };
            assert!(failure(refused).contains("belong to the store"), "{sql}");
        }
    }
    let written = store.sqlite_read(|connection| insert(connection, "a")).await;
    assert!(failure(written).contains("`sqlite_read` only reads"));
    let allowed = store.sqlite_write(|connection| {
        connection.busy_timeout(Duration::ZERO)?;
        connection.execute_batch(
            "SAVEPOINT own; INSERT INTO categories (name, slug) VALUES ('a', 'a'); ROLLBACK TO own",
        )?;
        insert(connection, "b")?;
        let columns = "SELECT count(*) FROM pragma_table_info('categories')";
        connection.query_row(columns, (), |row| row.get::<_, i64>(0))
    });
    assert_eq!(allowed.await, Ok(3));
    assert_eq!(categories(&store).await, 1);
    let limits = store.sqlite_write(|connection| {
        connection.query_row(
            "SELECT * FROM pragma_busy_timeout, pragma_foreign_keys",
            (),
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)),
        )
    });
    assert_eq!(limits.await, Ok((5000, 1)));
    store.execute(Sql::new("DELETE FROM categories")).await.unwrap();
}

/// DRV-4: code that reads is interrupted at the time limit of searches, and when its caller is dropped.
#[tokio::test(flavor = "multi_thread")]
async fn code_that_reads_is_interrupted() {
    let (store, folder) = in_file().await;
    drop(store);
    let store = Store::open(&format!("{}?search_timeout=1&searches=1", url(&folder)))
        .await
        .unwrap();
    let endless = |connection: &Connection| {
        let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
        connection.query_row(sql, (), |row| row.get::<_, i64>(0))
    };
    let late = store.sqlite_read(endless).await;
    assert_eq!(late, Err(StoreError::TooSlow(Duration::from_secs(1))));

    let store = Store::open(&format!("{}?search_timeout=600&searches=1", url(&folder)))
        .await
        .unwrap();
    let dropped = tokio::time::timeout(Duration::from_millis(200), store.sqlite_read(endless)).await;
    assert!(dropped.is_err());
    let next = tokio::time::timeout(
        Duration::from_secs(10),
        store.sqlite_read(|connection| count(connection, "articles")),
    );
    assert_eq!(next.await.unwrap(), Ok(0));
}

/// DRV-4: code that waits for the writer does not run if its caller is dropped, and the runtime is not blocked meanwhile.
#[tokio::test]
async fn dropped_code_does_not_run() {
    let (store, _folder) = in_file().await;
    let (release, released) = mpsc::channel::<()>();
    let busy = store.clone();
    let busy = tokio::spawn(async move {
        busy.sqlite_write(move |connection| {
            released.recv().ok();
            insert(connection, "first")
        })
        .await
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let begin = Instant::now();
    let late = tokio::time::timeout(
        Duration::from_millis(100),
        store.sqlite_write(|connection| insert(connection, "late")),
    );
    assert!(late.await.is_err());
    assert!(begin.elapsed() < Duration::from_secs(5));
    // Reads do not wait for the writer.
    assert_eq!(categories(&store).await, 0);
    release.send(()).unwrap();
    assert_eq!(busy.await.unwrap(), Ok(1));
    assert_eq!(
        store
            .sqlite_write(|connection| count(connection, "categories"))
            .await,
        Ok(1)
    );
}

/// DRV-5: code of many callers runs at once, and shares commits.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn code_of_many_callers_runs_at_once() {
    let (store, _folder) = in_file().await;
    let written = (0..200).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            store
                .sqlite_write(move |connection| insert(connection, &number.to_string()))
                .await?;
            store
                .sqlite_read(|connection| count(connection, "categories"))
                .await
        })
    });
    let written: Vec<_> = written.collect();
    for one in written {
        match one.await.unwrap() {
            Ok(seen) => assert!((1..=200).contains(&seen)),
            // Searches beyond the queue are refused.
            Err(StoreError::Unavailable(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(categories(&store).await, 200);
}

/// DRV-9: the code of the other driver is refused.
#[tokio::test]
async fn code_for_the_other_database_is_refused() {
    let store = in_memory().await;
    assert!(failure(store.postgres().await).contains("sqlite_write"));
    let Some(database) = postgres().await else { return };
    let read = database.store.sqlite_read(|_| Ok(())).await;
    let write = database.store.sqlite_write(|_| Ok(())).await;
    assert!(failure(read).contains("Store::postgres"));
    assert!(failure(write).contains("Store::postgres"));
}
