//! Futures that run inside a transaction (`Transaction::run`).

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use model_resource_store::{Query, Store};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::database::on;
use crate::models::Category;

async fn count(store: &Store) -> usize {
    store.all(&Query::<Category>::new()).await.unwrap().len()
}

on!(a_future_runs_to_its_end_and_its_writes_are_committed: in_memory, in_file, postgres);
async fn a_future_runs_to_its_end_and_its_writes_are_committed(store: Store) {
    let transaction = store.begin().await.unwrap();
    let inside = Store::clone(&transaction);
    let run = transaction.run(async move {
        for number in 0..300 {
            let name = number.to_string();
            inside.create(Category::draft(&name)).await.unwrap();
        }
        // Waits that the database does not end.
        tokio::time::sleep(Duration::from_millis(10)).await;
        tokio::spawn(async {}).await.unwrap();
        inside.create(Category::draft("7")).await.unwrap_err();
        count(&inside).await
    });
    assert_eq!(run.await.unwrap(), 300);
    transaction.create(Category::draft("after")).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(count(&store).await, 301);
}

on!(a_panic_reaches_the_caller_and_the_transaction_goes_on: in_memory, in_file, postgres);
async fn a_panic_reaches_the_caller_and_the_transaction_goes_on(store: Store) {
    let transaction = store.begin().await.unwrap();
    let inside = Store::clone(&transaction);
    let run = transaction.run(async move {
        inside.create(Category::draft("a")).await.unwrap();
        panic!("on purpose");
    });
    assert!(AssertUnwindSafe(run).catch_unwind().await.is_err());
    transaction.create(Category::draft("b")).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(count(&store).await, 2);
}

on!(a_future_is_dropped_with_its_caller_and_others_can_write: in_memory, in_file, postgres);
async fn a_future_is_dropped_with_its_caller_and_others_can_write(store: Store) {
    let transaction = store.begin().await.unwrap();
    let inside = Store::clone(&transaction);
    let (kept, dropped) = oneshot::channel::<()>();
    let run = transaction.run(async move {
        inside.create(Category::draft("a")).await.unwrap();
        let _kept = kept;
        std::future::pending::<()>().await;
    });
    timeout(Duration::from_millis(200), run).await.unwrap_err();
    drop(transaction);
    timeout(Duration::from_secs(3), dropped)
        .await
        .unwrap()
        .unwrap_err();
    store.create(Category::draft("b")).await.unwrap();
    assert_eq!(count(&store).await, 1);
}
