use std::time::Duration;

use model_resource_schema::draft::Draft;
use model_resource_schema::model::Model;
use model_resource_store::{Migrations, Query, Store};
use serde_json::json;
use tokio::time::timeout;

use crate::database::{failure, field_errors, on, unavailable};
use crate::models::Category;

async fn names(store: &Store) -> Vec<String> {
    let all = store.all(&Query::<Category>::new()).await.unwrap();
    all.into_iter().map(|category| category.name).collect()
}

on!(a_committed_transaction_persists_and_a_rolled_back_or_dropped_one_does_not: in_memory, in_file, postgres);
async fn a_committed_transaction_persists_and_a_rolled_back_or_dropped_one_does_not(store: Store) {
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("a")).await.unwrap();
    transaction.create(Category::draft("b")).await.unwrap();
    transaction.commit().await.unwrap();

    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("c")).await.unwrap();
    transaction.rollback().await.unwrap();

    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("d")).await.unwrap();
    drop(transaction);

    store.create(Category::draft("e")).await.unwrap();
    assert_eq!(names(&store).await, ["a", "b", "e"]);
}

on!(a_transaction_reads_its_own_writes_and_others_do_not: in_file, postgres);
async fn a_transaction_reads_its_own_writes_and_others_do_not(store: Store) {
    let transaction = store.begin().await.unwrap();
    let created = transaction.create(Category::draft("a")).await.unwrap();
    let mut draft = Draft::of(&created);
    draft.set(Category::NAME, "b".to_owned());
    let saved = transaction.save(draft).await.unwrap();
    assert_eq!(transaction.get(saved.id).await.unwrap(), Some(saved.clone()));
    assert_eq!(names(&transaction).await, ["b"]);
    assert_eq!(names(&store).await, [""; 0]);
    transaction.commit().await.unwrap();
    assert_eq!(names(&store).await, ["b"]);

    let transaction = store.begin().await.unwrap();
    assert!(transaction.remove(&saved).await.unwrap());
    assert_eq!(transaction.first(&Query::<Category>::new()).await.unwrap(), None);
    assert_eq!(names(&store).await, ["b"]);
}

on!(readers_are_not_blocked_while_a_transaction_holds_the_writer_and_writers_wait_for_it: in_file, postgres);
async fn readers_are_not_blocked_while_a_transaction_holds_the_writer_and_writers_wait_for_it(store: Store) {
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("a")).await.unwrap();
    for _ in 0..10 {
        let read = timeout(Duration::from_secs(1), names(&store)).await;
        assert!(read.expect("a reader waited for the writer").is_empty());
    }
    let other = tokio::spawn({
        let store = store.clone();
        async move { store.create(Category::draft("a")).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!other.is_finished());
    transaction.commit().await.unwrap();
    assert_eq!(
        field_errors(other.await.unwrap()),
        json!({"name": ["Name is already taken."]})
    );
}

on!(a_rejected_write_leaves_the_transaction_as_it_was: in_memory, postgres);
async fn a_rejected_write_leaves_the_transaction_as_it_was(store: Store) {
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("a")).await.unwrap();
    field_errors(transaction.create(Category::draft("a")).await);
    transaction.create(Category::draft("b")).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(names(&store).await, ["a", "b"]);
}

on!(an_idle_transaction_is_rolled_back_and_reports_a_timeout: in_file, postgres);
async fn an_idle_transaction_is_rolled_back_and_reports_a_timeout(store: Store) {
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("a")).await.unwrap();
    // PostgreSQL blocks only writers of the same rows.
    let waiting = store.create(Category::draft("a"));
    timeout(Duration::from_secs(8), waiting)
        .await
        .expect("the writer was not given back")
        .unwrap();
    assert!(unavailable(transaction.create(Category::draft("c")).await).contains("timed out"));
    assert!(unavailable(transaction.commit().await).contains("timed out"));
    assert_eq!(names(&store).await, ["a"]);
}

on!(calls_after_the_end_of_a_transaction_fail: in_memory, postgres);
async fn calls_after_the_end_of_a_transaction_fail(store: Store) {
    let transaction = store.begin().await.unwrap();
    let outlived = Store::clone(&transaction);
    transaction.commit().await.unwrap();
    assert!(failure(outlived.create(Category::draft("a")).await).contains("has ended"));

    let transaction = store.begin().await.unwrap();
    let outlived = Store::clone(&transaction);
    outlived.create(Category::draft("b")).await.unwrap();
    drop(transaction);
    assert!(failure(outlived.create(Category::draft("c")).await).contains("has ended"));
    assert_eq!(names(&store).await, [""; 0]);
}

on!(nested_transactions_are_rejected: in_memory, postgres);
async fn nested_transactions_are_rejected(store: Store) {
    let transaction = store.begin().await.unwrap();
    assert!(failure(transaction.begin().await).contains("open already"));
    transaction.create(Category::draft("a")).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(names(&store).await, ["a"]);
}

on!(migrations_and_new_tables_inside_a_transaction_are_rejected: in_memory, postgres);
async fn migrations_and_new_tables_inside_a_transaction_are_rejected(store: Store) {
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("a")).await.unwrap();
    for cause in [
        failure(transaction.migrate(&Migrations::default()).await),
        failure(transaction.create_tables(&[Category::table()]).await),
    ] {
        assert!(cause.contains("outside"), "{cause}");
    }
    transaction.commit().await.unwrap();
    assert_eq!(names(&store).await, ["a"]);
}

on!(a_dropped_begin_leaves_the_writer_free: in_file, postgres);
async fn a_dropped_begin_leaves_the_writer_free(store: Store) {
    for _ in 0..50 {
        let begin = store.begin();
        timeout(Duration::from_micros(20), begin).await.ok();
    }
    timeout(Duration::from_secs(2), store.create(Category::draft("a")))
        .await
        .unwrap()
        .unwrap();
}

on!(transactions_that_read_and_then_write_never_lose_an_update: in_file, postgres);
async fn transactions_that_read_and_then_write_never_lose_an_update(store: Store) {
    store.create(Category::draft("0")).await.unwrap();
    let tasks = (0..20).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let transaction = store.begin().await.unwrap();
            let counter = transaction.get::<Category>(1_i64).await.unwrap().unwrap();
            let mut draft = Draft::of(&counter);
            draft.set(
                Category::NAME,
                (counter.name.parse::<i32>().unwrap() + 1).to_string(),
            );
            transaction.save(draft).await.unwrap();
            transaction.commit().await.unwrap();
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_eq!(names(&store).await, ["20"]);
}

on!(transactions_about_one_table_leave_other_writes_their_turn: in_file, postgres);
/// LOAD-75: many transactions about one table make another write wait for few of them.
async fn transactions_about_one_table_leave_other_writes_their_turn(store: Store) {
    let transactions: Vec<_> = (0..20)
        .map(|number: u32| {
            let store = store.clone();
            tokio::spawn(async move {
                let transaction = store.begin_for(Category::table()).await.unwrap();
                transaction.lock_checks(Category::table()).await.unwrap();
                let category = Category::draft(&number.to_string());
                transaction.create(category).await.unwrap();
                tokio::time::sleep(Duration::from_millis(100)).await;
                transaction.commit().await.unwrap();
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(150)).await;
    let other = store.begin().await.unwrap();
    other.create(Category::draft("other")).await.unwrap();
    other.commit().await.unwrap();
    let unfinished = transactions
        .iter()
        .filter(|transaction| !transaction.is_finished());
    assert!(unfinished.count() > 10);
    for transaction in transactions {
        transaction.await.unwrap();
    }
    assert_eq!(names(&store).await.len(), 21);
}

on!(savepoints_that_are_dropped_together_are_all_undone: in_memory, in_file, postgres);
async fn savepoints_that_are_dropped_together_are_all_undone(store: Store) {
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("kept")).await.unwrap();
    let outer = transaction.begin_nested().await.unwrap();
    outer.create(Category::draft("outer")).await.unwrap();
    let inner = outer.begin_nested().await.unwrap();
    inner.create(Category::draft("inner")).await.unwrap();
    drop(inner);
    drop(outer);
    transaction.commit().await.unwrap();
    assert_eq!(names(&store).await, ["kept"]);
}

on!(savepoints_of_one_transaction_wait_for_each_other: in_memory, in_file, postgres);
async fn savepoints_of_one_transaction_wait_for_each_other(store: Store) {
    let transaction = store.begin().await.unwrap();
    let write = async |name: &str, is_kept: bool| {
        let nested = transaction.begin_nested().await.unwrap();
        nested.create(Category::draft(name)).await.unwrap();
        tokio::task::yield_now().await;
        if is_kept {
            nested.commit().await.unwrap();
        } else {
            nested.rollback().await.unwrap();
        }
    };
    tokio::join!(write("undone", false), write("kept", true));
    transaction.commit().await.unwrap();
    assert_eq!(names(&store).await, ["kept"]);
}
