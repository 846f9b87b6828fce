//! Writes with several statements, all of them or none (`Store::write_together`).

use futures_util::future::join_all;
use model_resource_store::{Query, Store, StoreError};

use crate::database::on;
use crate::models::Category;

async fn names(store: &Store) -> Vec<String> {
    let all = store.all(&Query::<Category>::new()).await.unwrap();
    all.into_iter().map(|category| category.name).collect()
}

/// Writes two categories, and fails after them if `is_good` is false.
async fn write(store: &Store, name: &'static str, is_good: bool) -> Result<(), &'static str> {
    let work = async move |inside: Store| {
        assert!(inside.is_in_transaction());
        inside.create(Category::draft(name)).await.unwrap();
        inside.create(Category::draft(&format!("{name}2"))).await.unwrap();
        if is_good { Ok(()) } else { Err("not wanted") }
    };
    store.write_together(work).await.unwrap()
}

on!(it_commits_if_the_work_succeeds_and_rolls_back_otherwise: in_memory, in_file, postgres);
async fn it_commits_if_the_work_succeeds_and_rolls_back_otherwise(store: Store) {
    write(&store, "a", true).await.unwrap();
    assert_eq!(write(&store, "b", false).await, Err("not wanted"));
    assert_eq!(names(&store).await, ["a", "a2"]);
}

on!(it_is_a_savepoint_inside_a_transaction: in_memory, in_file, postgres);
async fn it_is_a_savepoint_inside_a_transaction(store: Store) {
    let transaction = store.begin().await.unwrap();
    write(&transaction, "a", true).await.unwrap();
    assert_eq!(write(&transaction, "b", false).await, Err("not wanted"));
    assert_eq!(names(&transaction).await, ["a", "a2"]);
    transaction.rollback().await.unwrap();
    assert_eq!(names(&store).await, Vec::<String>::new());
}

on!(a_failure_undoes_none_of_the_others_at_the_same_time: in_file, postgres);
async fn a_failure_undoes_none_of_the_others_at_the_same_time(store: Store) {
    let all = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let writes = all
        .iter()
        .enumerate()
        .map(|(place, name)| write(&store, name, place % 2 == 0));
    join_all(writes).await;
    let mut kept = names(&store).await;
    kept.sort();
    assert_eq!(kept, ["a", "a2", "c", "c2", "e", "e2", "g", "g2"]);
}

on!(a_refused_statement_leaves_nothing: in_memory, in_file, postgres);
async fn a_refused_statement_leaves_nothing(store: Store) {
    let work = async |inside: Store| {
        inside.create(Category::draft("a")).await?;
        inside.create(Category::draft("a")).await
    };
    let refused = store.write_together(work).await.unwrap();
    assert!(matches!(refused, Err(StoreError::Invalid(_))), "{refused:?}");
    assert_eq!(names(&store).await, Vec::<String>::new());
}
