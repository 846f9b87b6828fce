//! Restarts of a PostgreSQL server.

use model_resource_schema::model::Model;
use model_resource_store::{Query, Store};
use private_postgres::ClusterSettings;

use crate::database::unavailable;
use crate::dedicated_server::dedicated_server;
use crate::models::{Article, Category};

#[tokio::test(flavor = "multi_thread")]
async fn reads_writes_and_transactions_reconnect_after_a_restart_of_the_server() {
    let Some(server) = dedicated_server(&ClusterSettings::durable()) else {
        return;
    };
    let store = Store::open(server.url()).await.unwrap();
    store
        .create_tables(&[Category::table(), Article::table()])
        .await
        .unwrap();
    for round in 1..=2 {
        // Concurrent reads, so that every connection is open when the server stops.
        let (before, read) = (format!("before {round}"), Query::<Category>::new());
        store.create(Category::draft(&before)).await.unwrap();
        let writes = (0..32).map(|_| store.create(Article::draft("many")));
        futures_util::future::try_join_all(writes).await.unwrap();
        let reads = (0..32).map(|_| store.all(&read));
        futures_util::future::try_join_all(reads).await.unwrap();

        server.stop().unwrap();
        unavailable(store.all(&read).await);
        unavailable(store.create(Category::draft("meanwhile")).await);
        unavailable(store.begin().await);
        unavailable(store.ping().await);
        server.resume().unwrap();

        let found = store.all(&read).await.unwrap();
        assert_eq!(found.last().unwrap().name, before);
        assert!(found.iter().all(|category| category.name != "meanwhile"));
        for number in 0..32 {
            let name = format!("after {round} {number}");
            store.create(Category::draft(&name)).await.unwrap();
        }
        let transaction = store.begin().await.unwrap();
        transaction.create(Article::draft("inside")).await.unwrap();
        transaction.commit().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_fail_as_unavailable_while_the_server_stops_and_a_transaction_is_rolled_back() {
    let Some(server) = dedicated_server(&ClusterSettings::durable()) else {
        return;
    };
    let store = Store::open(server.url()).await.unwrap();
    store
        .create_tables(&[Category::table(), Article::table()])
        .await
        .unwrap();
    let transaction = store.begin().await.unwrap();
    transaction.create(Category::draft("taken")).await.unwrap();
    // This write waits for the transaction, which may or may not take the name.
    let waiting = tokio::spawn({
        let store = store.clone();
        async move { store.create(Category::draft("taken")).await }
    });
    crate::cancellation::until_waiting(server.url(), 1).await;
    server.stop().unwrap();
    unavailable(waiting.await.unwrap());
    unavailable(transaction.commit().await);
    server.resume().unwrap();
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
}
