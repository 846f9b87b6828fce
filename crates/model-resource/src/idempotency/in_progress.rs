//! Keyed requests that are being answered in this process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foldhash::{HashMap, HashMapExt as _};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use uuid::Uuid;

/// Keys whose requests are being answered. Each is used by one request at a time.
#[derive(Clone)]
pub(super) struct InProgress(Arc<Mutex<HashMap<Uuid, Arc<AsyncMutex<()>>>>>);

impl Default for InProgress {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(HashMap::new())))
    }
}

/// A key that this request uses, until it is dropped.
pub(super) struct Turn {
    in_progress: InProgress,
    id: Uuid,
    guard: Option<OwnedMutexGuard<()>>,
    /// Whether another request with the key has ended before.
    pub(super) has_waited: bool,
}

impl InProgress {
    /// Waits for the turn of a request. `None` if another one with the key takes longer than the limit.
    pub(super) async fn enter(&self, id: Uuid, limit: Duration) -> Option<Turn> {
        let mutex = Arc::clone(self.lock().entry(id).or_default());
        let mut turn = Turn {
            in_progress: self.clone(),
            id,
            guard: None,
            has_waited: false,
        };
        let guard = match Arc::clone(&mutex).try_lock_owned() {
            Ok(guard) => guard,
            Err(_) => {
                turn.has_waited = true;
                tokio::time::timeout(limit, mutex.lock_owned()).await.ok()?
            }
        };
        turn.guard = Some(guard);
        Some(turn)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Arc<AsyncMutex<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.guard = None;
        let mut keys = self.in_progress.lock();
        // Only the map has the mutex if no other request uses or waits for the key.
        if keys
            .get(&self.id)
            .is_some_and(|mutex| Arc::strong_count(mutex) == 1)
        {
            keys.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_key_is_used_by_one_request_at_a_time() {
        let keys = InProgress::default();
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let turn = keys.enter(one, LIMIT).await;
        assert!(turn.as_ref().is_some_and(|turn| !turn.has_waited));
        assert!(keys.enter(one, LIMIT).await.is_none());
        assert!(keys.enter(other, LIMIT).await.is_some());
        drop(turn);
        let turn = keys.enter(one, LIMIT).await;
        let next = tokio::spawn({
            let keys = keys.clone();
            async move { keys.enter(one, Duration::from_secs(60)).await }
        });
        tokio::task::yield_now().await;
        drop(turn);
        assert!(next.await.expect("a task").is_some_and(|turn| turn.has_waited));
        assert!(keys.lock().is_empty());
    }
}
