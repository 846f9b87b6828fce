//! Limit of the searches that one caller runs at the same time.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::pipeline::{Error, ErrorKind, Result};

/// Maximum time that a search waits for the caller's others.
const WAIT_TIMEOUT: Duration = Duration::from_secs(2);

const SHARDS: usize = 64;

/// Callers by the hashes of their keys. A caller has an entry only while it has searches.
type Callers = HashMap<u64, Arc<Semaphore>>;

/// Searches that run and wait, by caller.
pub(crate) struct SearchLimiter {
    max: usize,
    hasher: RandomState,
    shards: Box<[Mutex<Callers>]>,
}

/// Searches of one caller.
#[derive(Clone)]
pub(crate) struct CallerSearches {
    limiter: Arc<SearchLimiter>,
    caller: u64,
}

/// Search that runs or waits. Dropping it lets the next one of the caller run.
pub(crate) struct RunningSearch {
    searches: CallerSearches,
    semaphore: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl SearchLimiter {
    /// Lets each caller run this many searches at the same time.
    pub(crate) fn new(max: usize) -> Self {
        Self {
            max: max.clamp(1, Semaphore::MAX_PERMITS),
            hasher: RandomState::new(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }

    /// Searches of the caller with this key.
    pub(crate) fn of(self: &Arc<Self>, key: &impl Hash) -> CallerSearches {
        CallerSearches {
            caller: self.hasher.hash_one(key),
            limiter: Arc::clone(self),
        }
    }

    fn shard(&self, caller: u64) -> MutexGuard<'_, Callers> {
        let shard = &self.shards[caller as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallerSearches {
    /// Waits for the caller's other searches, in order, and rejects the request if that takes too long.
    pub(crate) async fn begin(&self) -> Result<RunningSearch> {
        match tokio::time::timeout(WAIT_TIMEOUT, self.begin_patiently()).await {
            Ok(running) => Ok(running),
            Err(_) => Err(Error::new(ErrorKind::TooManyRequests { retry_after: 1 })),
        }
    }

    /// Begins a list that is probably short, unless the caller has as many of them as it may have searches. Short lists
    /// and searches do not count together.
    pub(crate) fn try_begin_short(&self) -> Option<RunningSearch> {
        let short = Self {
            limiter: Arc::clone(&self.limiter),
            caller: !self.caller,
        };
        let (mut running, semaphore) = short.enter();
        running.permit = Some(semaphore.try_acquire_owned().ok()?);
        Some(running)
    }

    /// Waits for the caller's other searches, in order, for a response that has begun.
    pub(crate) async fn begin_patiently(&self) -> RunningSearch {
        let (mut running, semaphore) = self.enter();
        let permit = semaphore.acquire_owned().await;
        running.permit = Some(permit.expect("no semaphore of a caller is closed"));
        running
    }

    /// Returns a search without a permit, made before waiting so that a request that is cancelled leaves nothing behind,
    /// and the semaphore of the caller.
    fn enter(&self) -> (RunningSearch, Arc<Semaphore>) {
        let semaphore = {
            let mut callers = self.limiter.shard(self.caller);
            let new = || Arc::new(Semaphore::new(self.limiter.max));
            Arc::clone(callers.entry(self.caller).or_insert_with(new))
        };
        let running = RunningSearch {
            searches: self.clone(),
            semaphore: Some(Arc::clone(&semaphore)),
            permit: None,
        };
        (running, semaphore)
    }
}

impl Drop for RunningSearch {
    fn drop(&mut self) {
        self.permit = None;
        let caller = self.searches.caller;
        let mut callers = self.searches.limiter.shard(caller);
        // Inside the lock, so that the last search of the caller sees that it is the last.
        self.semaphore = None;
        if callers
            .get(&caller)
            .is_some_and(|semaphore| Arc::strong_count(semaphore) == 1)
        {
            callers.remove(&caller);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(limiter: &SearchLimiter) -> usize {
        let shards = limiter.shards.iter();
        shards.map(|shard| shard.lock().expect("a shard").len()).sum()
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_beyond_the_limit_waits_and_is_then_rejected_for_that_caller_only() {
        let limiter = Arc::new(SearchLimiter::new(2));
        let (ann, bob) = (limiter.of(&"ann"), limiter.of(&"bob"));
        let first = ann.begin().await.expect("a search");
        let _second = ann.begin().await.expect("a search");
        let error = ann.begin().await.err().expect("a third search is rejected");
        assert!(matches!(
            error.kind(),
            ErrorKind::TooManyRequests { retry_after: 1 }
        ));
        bob.begin().await.expect("another caller's search");
        let waiting = {
            let ann = ann.clone();
            tokio::spawn(async move { ann.begin().await.is_ok() })
        };
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(first);
        assert!(waiting.await.expect("a task"));
    }

    #[tokio::test(start_paused = true)]
    async fn short_lists_of_a_caller_are_limited_apart_from_its_searches() {
        let limiter = Arc::new(SearchLimiter::new(1));
        let ann = limiter.of(&"ann");
        let _search = ann.begin().await.expect("a search");
        let short = ann.try_begin_short().expect("a short list");
        assert!(ann.try_begin_short().is_none());
        assert!(limiter.of(&"bob").try_begin_short().is_some());
        drop(short);
        assert!(ann.try_begin_short().is_some());
        assert_eq!(entries(&limiter), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn callers_without_searches_take_no_memory() {
        let limiter = Arc::new(SearchLimiter::new(1));
        let ann = limiter.of(&"ann");
        let running = ann.begin().await.expect("a search");
        assert!(ann.begin().await.is_err());
        let cancelled = tokio::time::timeout(Duration::from_millis(1), ann.begin_patiently());
        assert!(cancelled.await.is_err());
        assert_eq!(entries(&limiter), 1);
        drop(running);
        assert_eq!(entries(&limiter), 0);
    }
}
