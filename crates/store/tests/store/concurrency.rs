use std::time::Duration;

use model_resource_schema::draft::Draft;
use model_resource_store::{Query, Store};
use serde_json::json;

use crate::database::{field_errors, on};
use crate::models::{Article, Category};

on!(concurrent_writes_fail_only_if_they_are_invalid: in_memory, in_file, postgres);
async fn concurrent_writes_fail_only_if_they_are_invalid(store: Store) {
    store.create(Category::draft("taken")).await.unwrap();
    let writes = (0..500).map(|number| {
        let store = store.clone();
        let name = if number % 3 == 0 {
            "taken".to_owned()
        } else {
            format!("n{number}")
        };
        tokio::spawn(async move { store.create(Category::draft(&name)).await })
    });
    for (number, write) in writes.collect::<Vec<_>>().into_iter().enumerate() {
        let result = write.await.unwrap();
        if number % 3 == 0 {
            assert_eq!(field_errors(result), json!({"name": ["Name is already taken."]}));
        } else {
            let created = result.unwrap();
            assert_eq!(created.name, format!("n{number}"));
            assert_eq!(store.get::<Category>(created.id).await.unwrap(), Some(created));
        }
    }
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap().len(), 1 + 333);
}

on!(concurrent_calls_of_find_or_create_return_one_row: in_memory, in_file, postgres);
async fn concurrent_calls_of_find_or_create_return_one_row(store: Store) {
    let wanted = Query::new().filter(Category::NAME.eq("wanted"));
    let calls = (0..50).map(|_| {
        let (store, wanted) = (store.clone(), wanted.clone());
        tokio::spawn(async move { store.find_or_create(&wanted, Category::draft("wanted")).await })
    });
    let mut found = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        found.push(call.await.unwrap().unwrap());
    }
    let [only] = &store.all(&Query::<Category>::new()).await.unwrap()[..] else {
        panic!("not one row");
    };
    assert!(found.iter().all(|category| category == only));

    let other = Query::new().filter(Category::NAME.eq("other"));
    let refused = store.find_or_create(&other, Category::draft("wanted")).await;
    assert_eq!(field_errors(refused), json!({"name": ["Name is already taken."]}));
}

on!(one_of_several_concurrent_writes_of_a_unique_name_succeeds: in_file, postgres);
async fn one_of_several_concurrent_writes_of_a_unique_name_succeeds(store: Store) {
    let writes = (0..100).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.create(Category::draft("wanted")).await.is_ok() })
    });
    let mut won = 0;
    for write in writes.collect::<Vec<_>>() {
        won += usize::from(write.await.unwrap());
    }
    assert_eq!(won, 1);
}

on!(tasks_that_update_different_rows_never_see_each_others_data: in_file, postgres);
async fn tasks_that_update_different_rows_never_see_each_others_data(store: Store) {
    let mut rows = Vec::new();
    for number in 0..64 {
        rows.push(
            store
                .create(Article::draft(&format!("row {number}")))
                .await
                .unwrap(),
        );
    }
    let tasks = rows.into_iter().map(|row| {
        let store = store.clone();
        tokio::spawn(async move {
            for views in 1..=20 {
                let mut draft = Draft::of(&row);
                draft.set(Article::VIEWS, views);
                let saved = store.save(draft).await.unwrap();
                assert_eq!((saved.id, &saved.title, saved.views), (row.id, &row.title, views));
                // Once a write is answered, every reader sees it.
                assert_eq!(store.get::<Article>(row.id).await.unwrap(), Some(saved));
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

on!(callers_wait_when_the_queue_is_full: in_file, postgres);
async fn callers_wait_when_the_queue_is_full(store: Store) {
    let writes = (0..1500).map(|number| {
        let store = store.clone();
        tokio::spawn(async move { store.create(Article::draft(&number.to_string())).await })
    });
    for write in writes.collect::<Vec<_>>() {
        write.await.unwrap().unwrap();
    }
    assert_eq!(store.all(&Query::<Article>::new()).await.unwrap().len(), 1500);
}

on!(dropped_callers_do_not_affect_others: in_file, postgres);
async fn dropped_callers_do_not_affect_others(store: Store) {
    let everything = Query::<Article>::new();
    for number in 0..100 {
        let given_up = store.create(Article::draft("given up"));
        tokio::time::timeout(Duration::from_micros(10), given_up)
            .await
            .ok();
        let given_up = store.all(&everything);
        tokio::time::timeout(Duration::from_micros(10), given_up)
            .await
            .ok();
        store.create(Category::draft(&number.to_string())).await.unwrap();
    }
    assert_eq!(store.all(&Query::<Category>::new()).await.unwrap().len(), 100);
}

on!(futures_of_the_store_can_be_sent_between_threads: in_memory, postgres);
async fn futures_of_the_store_can_be_sent_between_threads(store: Store) {
    fn sendable<T: Send>(future: T) -> T {
        future
    }
    let category = sendable(store.create(Category::draft("a"))).await.unwrap();
    sendable(store.all(&Query::<Category>::new())).await.unwrap();
    sendable(store.get::<Category>(category.id)).await.unwrap();
    sendable(store.save(Draft::of(&category))).await.unwrap();
    sendable(store.remove(&category)).await.unwrap();
    let transaction = sendable(store.begin()).await.unwrap();
    sendable(transaction.commit()).await.unwrap();
}

on!(a_completed_write_is_visible_to_its_caller: in_file, postgres);
async fn a_completed_write_is_visible_to_its_caller(store: Store) {
    let tasks = (0..32).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            for round in 0..30 {
                let name = format!("{number} in round {round}");
                let category = store.create(Category::draft(&name)).await.unwrap();
                let found = store.get::<Category>(category.id).await.unwrap();
                assert_eq!(found.as_ref(), Some(&category), "it was created");
                assert!(store.remove(&category).await.unwrap());
                let found = store.get::<Category>(category.id).await.unwrap();
                assert_eq!(found, None, "it was deleted");
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}
