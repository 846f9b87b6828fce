//! Transactions that begin with their first write (`Store::defer`).

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use model_resource_store::{DeferredTransaction, Query, Sql, Store, StoreError, StoreResult};
use uuid::Uuid;

use crate::database::{on, unavailable};
use crate::models::Category;

pub(crate) async fn names(store: &Store) -> Vec<String> {
    let all = store.all(&Query::<Category>::new()).await.unwrap();
    all.into_iter().map(|category| category.name).collect()
}

/// Whether the commit may be shared with other writes.
#[derive(Clone, Copy)]
pub(crate) enum Commit {
    Alone,
    Grouped,
}

/// Runs work in a deferred transaction. Returns also whether it began.
pub(crate) async fn run<T: Send + 'static>(
    store: &Store,
    commit: Commit,
    work: impl AsyncWork<T>,
) -> (bool, StoreResult<Result<T, StoreError>>) {
    run_deferred(store.defer(), commit, work).await
}

/// Runs work that stores a response with this id, like [`run`].
pub(crate) async fn run_keyed<T: Send + 'static>(
    store: &Store,
    id: Uuid,
    commit: Commit,
    work: impl AsyncWork<T>,
) -> StoreResult<Result<T, StoreError>> {
    run_deferred(store.defer_keyed(id), commit, work).await.1
}

async fn run_deferred<T: Send + 'static>(
    mut transaction: DeferredTransaction,
    commit: Commit,
    work: impl AsyncWork<T>,
) -> (bool, StoreResult<Result<T, StoreError>>) {
    let work = Box::pin(work.start(transaction.store().clone()));
    let work = match select(work, pin!(transaction.first_write())).await {
        Either::Left((result, _)) => return (false, Ok(result)),
        Either::Right(((), work)) => work,
    };
    let written = match commit {
        Commit::Alone => transaction.run(work).await,
        Commit::Grouped => transaction.run_grouped(work).await,
    };
    (true, written)
}

/// A function from a store to a future.
pub(crate) trait AsyncWork<T> {
    fn start(self, store: Store) -> impl Future<Output = Result<T, StoreError>> + Send + 'static;
}

impl<T, F, Fut> AsyncWork<T> for F
where
    F: FnOnce(Store) -> Fut,
    Fut: Future<Output = Result<T, StoreError>> + Send + 'static,
{
    fn start(self, store: Store) -> impl Future<Output = Result<T, StoreError>> + Send + 'static {
        self(store)
    }
}

on!(it_begins_with_the_first_write_and_ends_with_the_work: in_memory, in_file, postgres);
async fn it_begins_with_the_first_write_and_ends_with_the_work(store: Store) {
    for (commit, name) in [(Commit::Alone, "a"), (Commit::Grouped, "b")] {
        let work = move |inside: Store| async move {
            assert!(!inside.is_in_transaction());
            let before = names(&inside).await.len();
            inside.create(Category::draft(name)).await?;
            assert!(inside.is_in_transaction());
            assert_eq!(names(&inside).await.len(), before + 1);
            inside.create(Category::draft(&format!("{name}2"))).await?;
            Ok(inside)
        };
        let (has_begun, written) = run(&store, commit, work).await;
        let inside = written.unwrap().unwrap();
        assert!(has_begun);
        // The store is an ordinary one again.
        assert!(!inside.is_in_transaction());
        inside.create(Category::draft(&format!("{name}3"))).await.unwrap();
    }
    assert_eq!(names(&store).await, ["a", "a2", "a3", "b", "b2", "b3"]);

    let (has_begun, read) = run(
        &store,
        Commit::Alone,
        |inside| async move { Ok(names(&inside).await) },
    )
    .await;
    assert!(!has_begun);
    assert_eq!(read.unwrap().unwrap().len(), 6);
}

on!(work_that_fails_is_rolled_back: in_memory, in_file, postgres);
async fn work_that_fails_is_rolled_back(store: Store) {
    for commit in [Commit::Alone, Commit::Grouped] {
        let work = |inside: Store| async move {
            inside.create(Category::draft("a")).await?;
            inside.create(Category::draft("a")).await.unwrap_err();
            inside.create(Category::draft("b")).await?;
            Err::<(), _>(StoreError::Missing)
        };
        let (_, written) = run(&store, commit, work).await;
        assert_eq!(written.unwrap(), Err(StoreError::Missing));
        assert_eq!(names(&store).await, [""; 0]);
    }
}

on!(a_transaction_inside_is_a_savepoint: in_memory, in_file, postgres);
async fn a_transaction_inside_is_a_savepoint(store: Store) {
    for (commit, prefix) in [(Commit::Alone, "a"), (Commit::Grouped, "b")] {
        let name = move |number: u32| format!("{prefix}{number}");
        let work = move |inside: Store| async move {
            inside.create(Category::draft(&name(1))).await?;
            let kept = inside.begin().await?;
            kept.create(Category::draft(&name(2))).await?;
            kept.create(Category::draft(&name(1))).await.unwrap_err();
            kept.create(Category::draft(&name(3))).await?;
            kept.commit().await?;
            let undone = inside.begin().await?;
            undone.create(Category::draft(&name(4))).await?;
            undone.rollback().await?;
            let dropped = inside.begin().await?;
            dropped.create(Category::draft(&name(5))).await?;
            drop(dropped);
            inside.create(Category::draft(&name(6))).await?;
            let dropped = inside.begin().await?;
            dropped.create(Category::draft(&name(7))).await?;
            drop(dropped);
            Ok(())
        };
        let (_, written) = run(&store, commit, work).await;
        written.unwrap().unwrap();
    }
    assert_eq!(
        names(&store).await,
        ["a1", "a2", "a3", "a6", "b1", "b2", "b3", "b6"]
    );
}

on!(a_savepoint_can_begin_it: in_memory, in_file, postgres);
async fn a_savepoint_can_begin_it(store: Store) {
    for (commit, name) in [(Commit::Alone, "a"), (Commit::Grouped, "b")] {
        let work = move |inside: Store| async move {
            let first = inside.begin().await?;
            first.create(Category::draft(name)).await?;
            let run = Store::clone(&first);
            let other = format!("{name}2");
            first
                .run(async move { run.create(Category::draft(&other)).await.map(drop) })
                .await??;
            first.commit().await
        };
        let (has_begun, written) = run(&store, commit, work).await;
        assert!(has_begun);
        written.unwrap().unwrap();
    }
    assert_eq!(names(&store).await, ["a", "a2", "b", "b2"]);
}

on!(grouped_ones_and_single_writes_do_not_disturb_each_other: in_file, postgres);
async fn grouped_ones_and_single_writes_do_not_disturb_each_other(store: Store) {
    let transactions = join_all((0..60).map(|number| {
        let store = store.clone();
        async move {
            let work = move |inside: Store| async move {
                inside.create(Category::draft(&format!("one {number}"))).await?;
                inside.create(Category::draft(&format!("two {number}"))).await?;
                if number % 3 == 0 {
                    return Err(StoreError::Missing);
                }
                Ok(())
            };
            let (_, written) = run(&store, Commit::Grouped, work).await;
            assert_eq!(written.unwrap().is_ok(), number % 3 != 0);
        }
    }));
    let writes = join_all((0..60).map(|number| {
        let store = store.clone();
        async move {
            let name = format!("single {number}");
            store.create(Category::draft(&name)).await.unwrap();
            store.create(Category::draft(&name)).await.unwrap_err();
        }
    }));
    tokio::join!(transactions, writes);
    assert_eq!(names(&store).await.len(), 40 * 2 + 60);
}

on!(one_that_is_idle_for_long_is_rolled_back: in_file, postgres);
async fn one_that_is_idle_for_long_is_rolled_back(store: Store) {
    for commit in [Commit::Alone, Commit::Grouped] {
        let work = |inside: Store| async move {
            inside.create(Category::draft("a")).await?;
            tokio::time::sleep(Duration::from_secs(7)).await;
            inside.create(Category::draft("b")).await
        };
        let (_, written) = run(&store, commit, work).await;
        assert!(written.and_then(|written| written).is_err());
        assert_eq!(names(&store).await, [""; 0]);
    }
}

on!(dropping_it_rolls_it_back: in_file, postgres);
async fn dropping_it_rolls_it_back(store: Store) {
    for commit in [Commit::Alone, Commit::Grouped] {
        let work = |inside: Store| async move {
            inside.create(Category::draft("a")).await?;
            std::future::pending::<Result<(), StoreError>>().await
        };
        let running = run(&store, commit, work);
        let stopped = tokio::time::timeout(Duration::from_millis(200), running).await;
        assert!(stopped.is_err());
        store.wait_cancelled().await;
        store.create(Category::draft("a")).await.unwrap();
        let delete = Sql::new("DELETE FROM categories");
        assert_eq!(store.execute(delete).await.unwrap(), 1);
    }
}

on!(a_write_after_it_was_given_up_is_an_ordinary_one: in_file, postgres);
async fn a_write_after_it_was_given_up_is_an_ordinary_one(store: Store) {
    let transaction = store.defer();
    let inside = transaction.store().clone();
    let waiting = tokio::spawn({
        let inside = inside.clone();
        async move { inside.create(Category::draft("a")).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!waiting.is_finished());
    drop(transaction);
    assert!(unavailable(waiting.await.unwrap()).contains("could not begin"));
    inside.create(Category::draft("b")).await.unwrap();
    assert_eq!(names(&store).await, ["b"]);
}

on!(work_that_refuses_its_first_write_continues: in_memory, in_file, postgres);
async fn work_that_refuses_its_first_write_continues(store: Store) {
    store.create(Category::draft("taken")).await.unwrap();
    for (commit, name) in [(Commit::Alone, "a"), (Commit::Grouped, "b")] {
        let work = move |inside: Store| async move {
            for _ in 0..2 {
                let refused = inside.create(Category::draft("taken")).await;
                assert!(matches!(refused, Err(StoreError::Invalid(_))));
            }
            let inner = inside.begin().await?;
            inner.create(Category::draft("undone")).await?;
            inner.rollback().await?;
            inside.create(Category::draft(name)).await?;
            let refused = inside.create(Category::draft("taken")).await;
            assert!(matches!(refused, Err(StoreError::Invalid(_))));
            Ok(())
        };
        let (_, written) = run(&store, commit, work).await;
        written.unwrap().unwrap();
    }
    assert_eq!(names(&store).await, ["taken", "a", "b"]);
    // A transaction without any write ends as well.
    store.begin().await.unwrap().commit().await.unwrap();
    store.begin().await.unwrap().rollback().await.unwrap();
}

on!(a_dry_run_sees_its_writes_and_leaves_nothing: in_memory, in_file, postgres);
async fn a_dry_run_sees_its_writes_and_leaves_nothing(store: Store) {
    store.create(Category::draft("kept")).await.unwrap();
    for commit in [Commit::Alone, Commit::Grouped] {
        let mut transaction = store.dry_run();
        let inside = transaction.store().clone();
        assert!(inside.is_dry_run() && !store.is_dry_run());
        let work = Box::pin(async move {
            inside.create(Category::draft("new")).await?;
            let nested = inside.begin().await?;
            nested.create(Category::draft("nested")).await?;
            nested.commit().await?;
            assert_eq!(names(&inside).await, ["kept", "new", "nested"]);
            // A unique name, which the database checks.
            assert!(inside.create(Category::draft("kept")).await.is_err());
            Ok::<_, StoreError>(inside)
        });
        let work = match select(work, pin!(transaction.first_write())).await {
            Either::Left(_) => panic!("the work writes"),
            Either::Right(((), work)) => work,
        };
        let inside = match commit {
            Commit::Alone => transaction.run(work).await,
            Commit::Grouped => transaction.run_grouped(work).await,
        };
        let inside = inside.unwrap().unwrap();
        assert_eq!(names(&store).await, ["kept"]);
        // A task that goes on writes nothing either.
        assert!(inside.create(Category::draft("late")).await.is_err());
        assert!(inside.begin().await.is_err());
        assert!(inside.execute(Sql::new("DELETE FROM categories")).await.is_err());
        assert_eq!(names(&inside).await, ["kept"]);
    }
    store.create(Category::draft("after")).await.unwrap();
    assert_eq!(names(&store).await, ["kept", "after"]);
}
