//! Changes through a store (`Store::change_count`) and by others (`Store::foreign_commit_count`). Another store on the same
//! file has connections of its own, like another process.

use std::time::Duration;

use model_resource_schema::draft::Draft;
use model_resource_schema::model::Model as _;
use model_resource_store::{Sql, Store};
use tempfile::TempDir;

use crate::database::{in_file, on, url};
use crate::models::{Category, SAMPLES};

fn count(store: &Store) -> u64 {
    store.change_count(Category::table())
}

fn foreign(store: &Store) -> u64 {
    store.foreign_commit_count().unwrap()
}

async fn other(folder: &TempDir) -> Store {
    Store::open(&url(folder)).await.unwrap()
}

#[tokio::test]
async fn every_commit_of_another_connection_is_noticed_at_once() {
    let (store, folder) = in_file().await;
    let other = other(&folder).await;
    let mut before = foreign(&store);
    for number in 0..100 {
        other
            .create(Category::draft(&format!("c{number}")))
            .await
            .unwrap();
        let after = foreign(&store);
        assert_ne!(after, before);
        assert_eq!(foreign(&store), after);
        before = after;
    }
}

#[tokio::test]
async fn a_commit_of_the_store_hides_no_other() {
    let (store, folder) = in_file().await;
    let other = other(&folder).await;
    for number in 0..50 {
        let before = foreign(&store);
        other
            .create(Category::draft(&format!("a{number}")))
            .await
            .unwrap();
        store
            .create(Category::draft(&format!("b{number}")))
            .await
            .unwrap();
        assert_ne!(foreign(&store), before);
    }
}

#[tokio::test]
async fn a_commit_beside_those_of_the_store_is_noticed() {
    let (store, folder) = in_file().await;
    let other = other(&folder).await;
    let busy = tokio::spawn({
        let store = store.clone();
        async move {
            for number in 0.. {
                store
                    .create(Category::draft(&format!("b{number}")))
                    .await
                    .unwrap();
                // So that the other store gets the lock, which no queue hands on.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    });
    for number in 0..200 {
        let before = foreign(&store);
        other
            .create(Category::draft(&format!("a{number}")))
            .await
            .unwrap();
        assert_ne!(foreign(&store), before, "commit {number}");
    }
    busy.abort();
}

#[tokio::test]
async fn insertions_of_the_store_are_no_changes() {
    let (store, _folder) = in_file().await;
    let (changes, inserts) = (count(&store), store.insert_count(Category::table()));
    let others = foreign(&store);
    store.create(Category::draft("a")).await.unwrap();
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("b")).await.unwrap();
    assert_eq!(store.insert_count(Category::table()), inserts + 1);
    transaction.commit().await.unwrap();
    assert_eq!((count(&store), foreign(&store)), (changes, others));
    assert_eq!(store.insert_count(Category::table()), inserts + 2);
}

on!(updates_count_when_they_are_committed: in_memory, in_file, postgres);
async fn updates_count_when_they_are_committed(store: Store) {
    let category = store.create(Category::draft("a")).await.unwrap();
    let samples = store.change_count(&SAMPLES);
    let before = count(&store);
    let transaction = store.begin().await.unwrap();
    let renamed = Draft::of(&category).with(Category::NAME, "b");
    transaction.save(renamed).await.unwrap();
    assert_eq!(count(&store), before);
    transaction.commit().await.unwrap();
    assert_ne!(count(&store), before);
    // The rows of other tables are known to be unchanged.
    assert_eq!(store.change_count(&SAMPLES), samples);

    let before = count(&store);
    let update = Sql::new("UPDATE categories SET name = 'c'");
    store.execute(update).await.unwrap();
    assert_ne!(count(&store), before);
}

/// Whether a process has a lock on the index of the write-ahead log.
#[cfg(target_os = "linux")]
fn is_index_locked(folder: &TempDir) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let path = url(folder).replace("sqlite:", "") + "-shm";
    let inode = format!(":{} ", std::fs::metadata(path).unwrap().ino());
    std::fs::read_to_string("/proc/locks").unwrap().contains(&inode)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_store_that_is_closed_releases_no_locks_of_another() {
    let (store, folder) = in_file().await;
    let other = other(&folder).await;
    assert!(is_index_locked(&folder));
    store.close().await;
    assert!(is_index_locked(&folder));
    other.create(Category::draft("a")).await.unwrap();
}
