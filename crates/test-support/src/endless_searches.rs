//! Searches that fill their lane.

use std::time::Duration;

use model_resource::{Sql, SqlDialect, Store};
use tokio::task::JoinHandle;

/// Number of searches: more than run at the same time and wait on any database.
const SEARCHES: usize = 80;
/// Number of waiting searches from which on the lane is full.
const WAITING: usize = 60;

/// Searches that never end by themselves, so that others wait in vain; they end when this is dropped.
pub struct EndlessSearches(Vec<JoinHandle<()>>);

impl EndlessSearches {
    /// Starts searches, and waits until their lane is full.
    pub async fn fill(store: &Store) -> Self {
        let text = match store.dialect() {
            SqlDialect::Sqlite => {
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
            }
            SqlDialect::Postgres => "SELECT 1 AS slept FROM pg_sleep(600)",
        };
        let search = |store: Store| async move {
            loop {
                // Fails at its time limit, or at once if the lane is full.
                drop(store.fetch(Sql::new(text)).await);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let searches = std::iter::repeat_with(|| tokio::spawn(search(store.clone())));
        let filled = Self(searches.take(SEARCHES).collect());
        for _ in 0..2000 {
            let lanes = store.status().lanes;
            let waiting = lanes.iter().find(|lane| lane.name == "searches");
            if waiting.is_some_and(|lane| lane.waiting >= WAITING) {
                return filled;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the lane of the searches is not full");
    }
}

impl Drop for EndlessSearches {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}
