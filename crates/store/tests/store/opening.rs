use std::time::{Duration, Instant};

use model_resource_store::{FileFault, Query, Store, StoreError};
use tempfile::TempDir;

use crate::database::{failure, in_file, in_memory, unavailable, url};
use crate::models::Category;

#[tokio::test]
async fn data_persists_when_the_file_is_reopened() {
    let (store, folder) = in_file().await;
    store.create(Category::draft("kept")).await.unwrap();
    drop(store);
    for url in [
        url(&folder),
        url(&folder).replace("sqlite:", "sqlite://"),
        url(&folder) + "?synchronous=normal",
    ] {
        let store = Store::open(&url).await.unwrap();
        assert_eq!(store.all(&Query::<Category>::new()).await.unwrap().len(), 1);
        store.ping().await.unwrap();
    }
}

#[tokio::test]
async fn queued_writes_complete_after_the_last_store_is_dropped() {
    let (store, folder) = in_file().await;
    let writes = (0..100).map(|number| {
        let store = store.clone();
        tokio::spawn(async move { store.create(Category::draft(&number.to_string())).await.map(drop) })
    });
    let writes: Vec<_> = writes.collect();
    drop(store);
    for write in writes {
        write.await.unwrap().unwrap();
    }
    let store = Store::open(&url(&folder)).await.unwrap();
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap().len(), 100);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_threads_end_with_the_last_store() {
    // The write-ahead log is removed when the last connection is closed.
    let (store, folder) = in_file().await;
    let clone = store.clone();
    drop(store);
    clone.create(Category::draft("a")).await.unwrap();
    let log = folder.path().join("test.db-wal");
    assert!(log.exists());
    drop(clone);
    let begun = Instant::now();
    while log.exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "the connections are still open"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn databases_in_memory_are_separate() {
    let (one, other) = (in_memory().await, in_memory().await);
    one.create(Category::draft("a")).await.unwrap();
    assert!(other.all(&Query::<Category>::new()).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_error_names_a_file_that_cannot_be_opened() {
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("missing/test.db").display());
    assert!(unavailable(Store::open(&url).await).contains("missing/test.db"));
    std::fs::write(
        folder.path().join("test.db"),
        "this is a text and no database, long enough to be sure",
    )
    .unwrap();
    assert!(matches!(
        Store::open(&crate::database::url(&folder)).await,
        Err(StoreError::Failed(_))
    ));
    assert!(failure(Store::open("mysql://localhost/db").await).contains("sqlite:PATH"));
}

#[tokio::test]
async fn a_database_that_another_process_locks_is_unavailable_and_then_works_again() {
    let (store, folder) = in_file().await;
    let other = rusqlite::Connection::open(folder.path().join("test.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writes: Vec<_> = (0..3)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move { store.create(Category::draft(&number.to_string())).await })
        })
        .collect();
    let begun = Instant::now();
    for write in writes {
        // On a slow machine those behind the first may have waited too long before it fails.
        let cause = unavailable(write.await.unwrap());
        assert!(cause.contains("locked") || cause.contains("waited"), "{cause}");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(14),
        "each waited for itself"
    );
    other.execute_batch("ROLLBACK").unwrap();
    store.create(Category::draft("after")).await.unwrap();
}

/// LOAD-5: transactions and writes that wait for the same lock of another process are refused together, not one after
/// the other.
#[tokio::test]
async fn transactions_and_writes_that_wait_for_one_lock_are_refused_together() {
    let (store, folder) = in_file().await;
    let other = rusqlite::Connection::open(folder.path().join("test.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting: Vec<_> = (0..6)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move {
                if number % 2 == 0 {
                    store.begin().await.map(drop)
                } else {
                    store.create(Category::draft(&number.to_string())).await.map(drop)
                }
            })
        })
        .collect();
    let begun = Instant::now();
    for refused in waiting {
        unavailable(refused.await.unwrap());
    }
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    other.execute_batch("ROLLBACK").unwrap();
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
    store.begin().await.unwrap().rollback().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_moved_file_rejects_writes_until_it_is_back() {
    let (store, folder) = in_file().await;
    let (file, away) = (folder.path().join("test.db"), folder.path().join("away.db"));
    std::fs::rename(&file, &away).unwrap();
    assert!(unavailable(store.create(Category::draft("lost")).await).contains("was moved"));
    assert!(unavailable(store.begin().await.map(drop)).contains("was moved"));
    assert!(unavailable(store.check_writable().await).contains("was moved"));
    store.ping().await.unwrap();
    std::fs::rename(&away, &file).unwrap();
    store.create(Category::draft("kept")).await.unwrap();
    let names: Vec<String> = store
        .all(&Query::<Category>::new())
        .await
        .unwrap()
        .into_iter()
        .map(|c| c.name)
        .collect();
    assert_eq!(names, ["kept"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let (store, folder) = in_file().await;
    store.create(Category::draft("a")).await.unwrap();
    for file in ["test.db", "test.db-wal"] {
        let mode = std::fs::metadata(folder.path().join(file))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

/// LOAD-7: once a read has found the file to be damaged, writes are refused: they would be acknowledged and lost.
#[tokio::test(flavor = "multi_thread")]
async fn writes_are_refused_after_damage_was_seen() {
    let (store, folder) = in_file().await;
    for number in 0..50 {
        store.create(Category::draft(&number.to_string())).await.unwrap();
    }
    let file = folder.path().join("test.db");
    let other = rusqlite::Connection::open(&file).unwrap();
    other
        .query_row("PRAGMA wal_checkpoint(FULL)", (), |_| Ok(()))
        .unwrap();
    assert_eq!(store.file_fault(), None);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4096..].fill(0xff);
    let writing = std::fs::OpenOptions::new().write(true).open(&file);
    std::io::Write::write_all(&mut writing.unwrap(), &bytes).unwrap();
    let cause = unavailable(store.all(&Query::<Category>::new()).await);
    assert!(cause.contains("malformed"), "{cause}");
    assert_eq!(store.file_fault(), Some(FileFault::Damaged));
    for _ in 0..2 {
        let cause = unavailable(store.create(Category::draft("lost")).await);
        assert!(cause.contains("test.db is damaged"), "{cause}");
        unavailable(store.begin().await);
        unavailable(store.check_writable().await);
    }
}

/// LOAD-41: a file that the process may only read accepts no writes, and the check of writes says so.
#[cfg(unix)]
#[tokio::test]
async fn the_check_of_writes_fails_for_a_file_that_may_only_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let (store, folder) = in_file().await;
    store.check_writable().await.unwrap();
    store.close().await;
    let file = folder.path().join("test.db");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&file).is_ok() {
        // The superuser may write to any file.
        return;
    }
    let store = Store::open(&url(&folder)).await.unwrap();
    assert!(unavailable(store.check_writable().await).contains("test.db"));
    unavailable(store.create(Category::draft("lost")).await);
}

/// LOAD-7: a missing database is not created beside the log of its last writes.
#[cfg(unix)]
#[tokio::test]
async fn a_missing_file_is_not_created_beside_its_log() {
    let (store, folder) = in_file().await;
    store.create(Category::draft("kept")).await.unwrap();
    let (file, away) = (folder.path().join("test.db"), folder.path().join("away.db"));
    std::fs::rename(&file, &away).unwrap();
    assert_eq!(store.file_fault(), Some(FileFault::Replaced));
    let cause = failure(Store::open(&url(&folder)).await);
    assert!(
        cause.contains("test.db is missing") && cause.contains("test.db-wal"),
        "{cause}"
    );
    assert!(!file.exists());
    std::fs::rename(&away, &file).unwrap();
    assert_eq!(store.file_fault(), None);
    let second = Store::open(&url(&folder)).await.unwrap();
    assert_eq!(second.all(&Query::<Category>::new()).await.unwrap().len(), 1);
}

/// LOAD-9: all connections to a SQLite file stay within `max_connections` of its URL, 20 by default.
#[tokio::test]
async fn the_connections_to_a_file_are_bounded_together() {
    let folder = TempDir::new().unwrap();
    for (options, expected) in [
        ("", 1..=20),
        ("?max_connections=3", 3..=3),
        ("?max_connections=9&readers=5", 7..=9),
        ("?readers=2&searches=1", 4..=4),
    ] {
        let store = Store::open(&(url(&folder) + options)).await.unwrap();
        store.ping().await.unwrap();
        let lanes = store.status().lanes;
        let connections: usize = lanes.iter().map(|lane| lane.connections).sum();
        assert!(expected.contains(&connections), "{options}: {lanes:?}");
        store.close().await;
    }
    let url = url(&folder) + "?max_connections=5&readers=4";
    assert!(failure(Store::open(&url).await).contains("max_connections=6"));
}
