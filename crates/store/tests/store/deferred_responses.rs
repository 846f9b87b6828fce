//! Responses that deferred transactions store (`Store::defer_keyed`), and work that announces one write.

use std::time::Duration;

use futures_util::future::join_all;
use model_resource_store::{Sql, Store, StoreError, StoredResponse};
use uuid::Uuid;

use crate::database::on;
use crate::deferred::{AsyncWork, Commit, names, run, run_keyed};
use crate::models::Category;

/// Work that creates a category and has a response stored.
fn recorded(name: &'static str, statements: Statements, lifetime: Duration) -> impl AsyncWork<()> {
    move |inside: Store| async move {
        if statements == Statements::One {
            inside.expect_one_write();
        }
        inside.create(Category::draft(name)).await?;
        let response = StoredResponse {
            request: vec![1; 32],
            status: 201,
            headers: b"location:/1".to_vec(),
            body: Some(name.as_bytes().to_vec()),
        };
        inside.record_response(response, lifetime)
    }
}

/// Statements that work announces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Statements {
    Any,
    One,
}

on!(a_response_is_stored_with_the_rows_and_once: in_memory, in_file, postgres);
async fn a_response_is_stored_with_the_rows_and_once(store: Store) {
    let hour = Duration::from_secs(60 * 60);
    for (commit, statements, id, name, other) in [
        (Commit::Alone, Statements::Any, 1, "a", "b"),
        (Commit::Grouped, Statements::Any, 2, "c", "d"),
        (Commit::Alone, Statements::One, 3, "e", "f"),
        (Commit::Grouped, Statements::One, 4, "g", "h"),
    ] {
        let id = Uuid::from_u128(id);
        assert_eq!(store.find_response(id).await.unwrap(), None);
        let written = run_keyed(&store, id, commit, recorded(name, statements, hour)).await;
        written.unwrap().unwrap();
        let stored = store.find_response(id).await.unwrap().unwrap();
        assert_eq!(stored.body.as_deref(), Some(name.as_bytes()));
        // The rows of the second one are undone.
        let written = run_keyed(&store, id, commit, recorded(other, statements, hour)).await;
        assert_eq!(written, Err(StoreError::Repeated));
        assert_eq!(store.find_response(id).await.unwrap(), Some(stored));
    }
    assert_eq!(names(&store).await, ["a", "c", "e", "g"]);
}

on!(a_response_that_has_expired_makes_room_when_it_is_looked_for: in_memory, postgres);
async fn a_response_that_has_expired_makes_room_when_it_is_looked_for(store: Store) {
    let id = Uuid::from_u128(7);
    let record = |name| {
        let work = recorded(name, Statements::Any, Duration::ZERO);
        run_keyed(&store, id, Commit::Grouped, work)
    };
    record("a").await.unwrap().unwrap();
    assert_eq!(record("b").await, Err(StoreError::Repeated));
    assert_eq!(store.find_response(id).await.unwrap(), None);
    record("c").await.unwrap().unwrap();
    assert_eq!(names(&store).await, ["a", "c"]);
}

on!(a_response_needs_an_open_deferred_transaction: in_memory, postgres);
async fn a_response_needs_an_open_deferred_transaction(store: Store) {
    let response = || StoredResponse {
        request: Vec::new(),
        status: 200,
        headers: Vec::new(),
        body: None,
    };
    let record = move |store: &Store| store.record_response(response(), Duration::ZERO);
    assert!(record(&store).is_err());
    let deferred = store.defer_keyed(Uuid::nil());
    assert!(record(deferred.store()).is_err());
    assert!(record(&store.begin().await.unwrap()).is_err());
    let without_id = move |inside: Store| async move {
        inside.create(Category::draft("a")).await?;
        record(&inside)
    };
    let (_, written) = run(&store, Commit::Grouped, without_id).await;
    assert!(matches!(written.unwrap(), Err(StoreError::Failed(_))));
}

on!(a_constraint_at_the_commit_is_no_repetition: in_memory, in_file, postgres);
async fn a_constraint_at_the_commit_is_no_repetition(store: Store) {
    for table in [
        "CREATE TABLE parents (id BIGINT PRIMARY KEY)",
        "CREATE TABLE children (parent BIGINT REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)",
    ] {
        store.execute(Sql::new(table)).await.unwrap();
    }
    for (commit, id) in [(Commit::Alone, 1), (Commit::Grouped, 2)] {
        let work = move |inside: Store| async move {
            inside
                .execute(Sql::new("INSERT INTO children VALUES (1)"))
                .await?;
            let response = StoredResponse {
                request: Vec::new(),
                status: 201,
                headers: Vec::new(),
                body: None,
            };
            inside.record_response(response, Duration::from_secs(60))
        };
        let written = run_keyed(&store, Uuid::from_u128(id), commit, work).await;
        let error = written.unwrap_err();
        assert_ne!(error, StoreError::Repeated);
        assert_eq!(store.find_response(Uuid::from_u128(id)).await.unwrap(), None);
    }
    let children = store
        .fetch(Sql::new("SELECT parent FROM children"))
        .await
        .unwrap();
    assert!(children.is_empty());
}

on!(work_that_fails_after_its_only_write_is_undone_without_others: in_memory, in_file, postgres);
async fn work_that_fails_after_its_only_write_is_undone_without_others(store: Store) {
    let writes = (0..60).map(|number| {
        let (store, name) = (store.clone(), format!("{number}"));
        async move {
            let category = Category::draft(&name);
            let work = move |inside: Store| async move {
                inside.expect_one_write();
                inside.create(category).await?;
                match number % 3 {
                    0 => Ok(()),
                    _ => Err(StoreError::Failed("after the write".to_owned())),
                }
            };
            let is_written = match number % 3 {
                2 => store.create(Category::draft(&name)).await.is_ok(),
                _ => loop {
                    match run(&store, Commit::Grouped, work.clone()).await.1 {
                        // Its commit was undone because of another one.
                        Err(StoreError::Aborted(_)) => {}
                        written => break written.unwrap().is_ok(),
                    }
                },
            };
            (is_written, name)
        }
    });
    let written = join_all(writes).await;
    let mut expected: Vec<String> = written.into_iter().filter(|one| one.0).map(|one| one.1).collect();
    assert_eq!(expected.len(), 40);
    let mut names = names(&store).await;
    names.sort();
    expected.sort();
    assert_eq!(names, expected);
}

on!(work_that_announces_one_write_may_make_more: in_memory, in_file, postgres);
async fn work_that_announces_one_write_may_make_more(store: Store) {
    store.create(Category::draft("taken")).await.unwrap();
    for (name, second) in [("a", "taken"), ("b", "c")] {
        let work = move |inside: Store| async move {
            inside.expect_one_write();
            inside.create(Category::draft(name)).await?;
            inside.create(Category::draft(second)).await?;
            Ok(())
        };
        let (_, written) = run(&store, Commit::Grouped, work).await;
        assert_eq!(written.unwrap().is_err(), second == "taken");
    }
    assert_eq!(names(&store).await, ["taken", "b", "c"]);
}

on!(work_that_has_made_its_only_write_ends_without_its_caller: in_memory, in_file);
async fn work_that_has_made_its_only_write_ends_without_its_caller(store: Store) {
    let work = |inside: Store| async move {
        inside.expect_one_write();
        inside.create(Category::draft("a")).await?;
        tokio::time::sleep(Duration::from_millis(300)).await;
        Ok(())
    };
    let running = run(&store, Commit::Grouped, work);
    let stopped = tokio::time::timeout(Duration::from_millis(100), running).await;
    assert!(stopped.is_err());
    store.create(Category::draft("b")).await.unwrap();
    assert_eq!(names(&store).await, ["a", "b"]);
}
