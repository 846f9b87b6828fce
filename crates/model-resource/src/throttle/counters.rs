//! Request counters per key, in bounded memory.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::throttle::rate::Rate;

const BUCKETS: usize = 4096;

/// Maximum counters per bucket: 65,536 in all.
const SLOTS: usize = 16;

/// Counters of one rate limiter.
///
/// Keys are stored as keyed hashes, so that no client can construct collisions. Each key belongs to one bucket. If the
/// bucket is full, the key with the fewest requests is evicted. The keys of one client therefore evict each other
/// before any key that has reached its limit.
pub(super) struct RateCounters {
    rate: Rate,
    hasher: RandomState,
    /// Each bucket has its own lock.
    buckets: Box<[Mutex<Vec<RateCounter>>]>,
}

#[derive(Clone, Copy)]
struct RateCounter {
    key: u64,
    taken: u32,
    ends: Instant,
}

/// Remaining requests of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RateStatus {
    pub(super) left: u32,
    /// Seconds until the window ends.
    pub(super) seconds: u64,
}

/// Slot that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RatePermit {
    key: u64,
    ends: Instant,
    pub(super) status: RateStatus,
}

/// Hash of a key.
#[derive(Clone, Copy)]
pub(super) struct RateKey(u64);

impl RateCounters {
    pub(super) fn new(rate: Rate) -> Self {
        Self {
            rate,
            hasher: RandomState::new(),
            buckets: (0..BUCKETS).map(|_| Mutex::default()).collect(),
        }
    }

    pub(super) fn key(&self, key: &impl Hash) -> RateKey {
        RateKey(self.hasher.hash_one(key))
    }

    /// Takes a slot, or returns when the window ends.
    pub(super) fn take(&self, RateKey(key): RateKey, now: Instant) -> Result<RatePermit, RateStatus> {
        let mut bucket = self.bucket(key);
        let count = self.count(&mut bucket, key, now);
        if count.taken >= self.rate.max {
            return Err(self.status(count, now));
        }
        count.taken += 1;
        Ok(RatePermit {
            key,
            ends: count.ends,
            status: self.status(count, now),
        })
    }

    /// Releases a slot, unless its window has ended: the slots of the next window belong to other requests.
    pub(super) fn release(&self, permit: RatePermit, now: Instant) -> RateStatus {
        let mut bucket = self.bucket(permit.key);
        let count = self.count(&mut bucket, permit.key, now);
        if count.ends == permit.ends {
            count.taken = count.taken.saturating_sub(1);
        }
        self.status(count, now)
    }

    fn bucket(&self, key: u64) -> MutexGuard<'_, Vec<RateCounter>> {
        let bucket = &self.buckets[key as usize % BUCKETS];
        bucket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the counter of a key, starting at zero if it has none in the current window.
    fn count<'s>(&self, bucket: &'s mut Vec<RateCounter>, key: u64, now: Instant) -> &'s mut RateCounter {
        let running = bucket
            .iter()
            .position(|count| count.key == key && count.ends > now);
        let position = running.unwrap_or_else(|| {
            let new = RateCounter {
                key,
                taken: 0,
                ends: now + self.rate.window,
            };
            bucket.retain(|count| count.ends > now);
            if bucket.len() < SLOTS {
                bucket.push(new);
                return bucket.len() - 1;
            }
            let counts = bucket.iter().enumerate();
            let least = counts.min_by_key(|(_, count)| (count.taken, count.ends));
            let (least, _) = least.expect("a full bucket has SLOTS counters, and SLOTS is not 0");
            bucket[least] = new;
            least
        });
        &mut bucket[position]
    }

    fn status(&self, count: &RateCounter, now: Instant) -> RateStatus {
        let rest = count.ends.saturating_duration_since(now);
        RateStatus {
            left: self.rate.max - count.taken,
            // Rounded up, so that a client that waits this long is admitted.
            seconds: rest.as_secs() + u64::from(rest.subsec_nanos() > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn status(left: u32, seconds: u64) -> RateStatus {
        RateStatus { left, seconds }
    }

    fn take(counts: &RateCounters, key: RateKey) -> Result<RateStatus, RateStatus> {
        counts.take(key, Instant::now()).map(|permit| permit.status)
    }

    #[tokio::test(start_paused = true)]
    async fn slots_are_taken_one_by_one_and_free_again_when_the_window_ends() {
        let counts = RateCounters::new(Rate::per_minute(2));
        let (ann, bob) = (counts.key(&"ann"), counts.key(&"bob"));
        assert_eq!(take(&counts, ann), Ok(status(1, 60)));
        tokio::time::advance(Duration::from_millis(10_500)).await;
        assert_eq!(take(&counts, ann), Ok(status(0, 50)));
        assert_eq!(take(&counts, ann), Err(status(0, 50)));
        assert_eq!(take(&counts, bob), Ok(status(1, 60)));
        tokio::time::advance(Duration::from_millis(49_499)).await;
        assert_eq!(take(&counts, ann), Err(status(0, 1)));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(take(&counts, ann), Ok(status(1, 60)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_released_slot_can_be_taken_again() {
        let counts = RateCounters::new(Rate::per_minute(1));
        let ann = counts.key(&"ann");
        let permit = counts.take(ann, Instant::now()).expect("a slot");
        assert_eq!(permit.status, status(0, 60));
        assert_eq!(counts.release(permit, Instant::now()), status(1, 60));
        assert_eq!(take(&counts, ann), Ok(status(0, 60)));
        assert!(take(&counts, ann).is_err());
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(take(&counts, ann), Ok(status(0, 60)));
        assert_eq!(
            counts.release(permit, Instant::now()),
            status(0, 60),
            "the slot belonged to the last window"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn many_keys_are_bounded_and_evict_none_that_has_reached_its_limit() {
        let counts = RateCounters::new(Rate::per_minute(2));
        let exhausted = counts.key(&"exhausted");
        while take(&counts, exhausted).is_ok() {}
        for key in 0..500_000 {
            let _ = take(&counts, counts.key(&key));
        }
        assert_eq!(take(&counts, exhausted), Err(status(0, 60)));
        let kept = |bucket: &Mutex<Vec<RateCounter>>| bucket.lock().expect("a bucket").capacity();
        assert!(counts.buckets.iter().map(kept).sum::<usize>() <= BUCKETS * SLOTS);
        tokio::time::advance(Duration::from_secs(60)).await;
        let _ = take(&counts, exhausted);
        assert_eq!(
            counts.bucket(exhausted.0).len(),
            1,
            "expired counters are evicted first"
        );
    }

    #[test]
    fn threads_never_take_the_same_slot() {
        let counts = RateCounters::new(Rate::per_hour(1000));
        let key = counts.key(&"all");
        let take = || (0..500).filter(|_| take(&counts, key).is_ok()).count();
        let taken: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(take)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("a thread"))
                .sum()
        });
        assert_eq!(taken, 1000);
    }
}
