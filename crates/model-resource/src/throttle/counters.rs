//! How often each has asked, in memory that has a bound.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::throttle::rate::Rate;

const BUCKETS: usize = 4096;

/// So many are counted on a shelf, and 65,536 in all.
const SLOTS: usize = 16;

/// The counts of one limiter.
///
/// A key is kept as its hash, by a secret that nobody can look for collisions of. It belongs to one shelf; if that is full,
/// the key that has asked least makes way. Many keys from one client push out each other before any key that has used up its
/// places.
pub(super) struct RateCounters {
    rate: Rate,
    hasher: RandomState,
    /// Each with a lock of its own, under which a place is looked for and taken.
    shelves: Box<[Mutex<Vec<RateCounter>>]>,
}

#[derive(Clone, Copy)]
struct RateCounter {
    key: u64,
    taken: u32,
    ends: Instant,
}

/// What is left for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RateStatus {
    pub(super) left: u32,
    /// The seconds until all places are free again.
    pub(super) seconds: u64,
}

/// A place that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RatePermit {
    key: u64,
    ends: Instant,
    pub(super) standing: RateStatus,
}

/// A key, as it is kept.
#[derive(Clone, Copy)]
pub(super) struct RateKey(u64);

impl RateCounters {
    pub(super) fn new(rate: Rate) -> Self {
        Self {
            rate,
            hasher: RandomState::new(),
            shelves: (0..BUCKETS).map(|_| Mutex::default()).collect(),
        }
    }

    pub(super) fn key(&self, key: &impl Hash) -> RateKey {
        RateKey(self.hasher.hash_one(key))
    }

    /// Takes a place, or says when there is one.
    pub(super) fn take(&self, RateKey(key): RateKey) -> Result<RatePermit, RateStatus> {
        let now = Instant::now();
        let mut shelf = self.bucket(key);
        let count = self.count(&mut shelf, key, now);
        if count.taken >= self.rate.most {
            return Err(self.status(count, now));
        }
        count.taken += 1;
        Ok(RatePermit {
            key,
            ends: count.ends,
            standing: self.status(count, now),
        })
    }

    /// Gives back a place that was taken, unless its time is over: those of the next are others' places.
    pub(super) fn release(&self, place: RatePermit) -> RateStatus {
        let now = Instant::now();
        let mut shelf = self.bucket(place.key);
        let count = self.count(&mut shelf, place.key, now);
        if count.ends == place.ends {
            count.taken = count.taken.saturating_sub(1);
        }
        self.status(count, now)
    }

    fn bucket(&self, key: u64) -> MutexGuard<'_, Vec<RateCounter>> {
        let shelf = &self.shelves[key as usize % BUCKETS];
        shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The count of a key, from nothing if it has none that still runs.
    fn count<'s>(&self, shelf: &'s mut Vec<RateCounter>, key: u64, now: Instant) -> &'s mut RateCounter {
        let running = shelf
            .iter()
            .position(|count| count.key == key && count.ends > now);
        let position = running.unwrap_or_else(|| {
            let new = RateCounter {
                key,
                taken: 0,
                ends: now + self.rate.window,
            };
            shelf.retain(|count| count.ends > now);
            if shelf.len() < SLOTS {
                shelf.push(new);
                return shelf.len() - 1;
            }
            let counts = shelf.iter().enumerate();
            let least = counts.min_by_key(|(_, count)| (count.taken, count.ends));
            let (least, _) = least.expect("the shelf has PLACES counts, and PLACES is not 0");
            shelf[least] = new;
            least
        });
        &mut shelf[position]
    }

    fn status(&self, count: &RateCounter, now: Instant) -> RateStatus {
        let rest = count.ends.saturating_duration_since(now);
        RateStatus {
            left: self.rate.most - count.taken,
            // Rounded up: who comes back then is let in.
            seconds: rest.as_secs() + u64::from(rest.subsec_nanos() > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn standing(left: u32, seconds: u64) -> RateStatus {
        RateStatus { left, seconds }
    }

    fn take(counts: &RateCounters, key: RateKey) -> Result<RateStatus, RateStatus> {
        counts.take(key).map(|place| place.standing)
    }

    #[tokio::test(start_paused = true)]
    async fn places_are_taken_one_by_one_and_free_again_when_the_time_is_over() {
        let counts = RateCounters::new(Rate::per_minute(2));
        let (ann, bob) = (counts.key(&"ann"), counts.key(&"bob"));
        assert_eq!(take(&counts, ann), Ok(standing(1, 60)));
        tokio::time::advance(Duration::from_millis(10_500)).await;
        assert_eq!(take(&counts, ann), Ok(standing(0, 50)));
        assert_eq!(take(&counts, ann), Err(standing(0, 50)));
        assert_eq!(take(&counts, bob), Ok(standing(1, 60)));
        tokio::time::advance(Duration::from_millis(49_499)).await;
        assert_eq!(take(&counts, ann), Err(standing(0, 1)));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(take(&counts, ann), Ok(standing(1, 60)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_that_is_given_back_can_be_taken_again() {
        let counts = RateCounters::new(Rate::per_minute(1));
        let ann = counts.key(&"ann");
        let place = counts.take(ann).expect("a place");
        assert_eq!(place.standing, standing(0, 60));
        assert_eq!(counts.release(place), standing(1, 60));
        assert_eq!(take(&counts, ann), Ok(standing(0, 60)));
        assert!(counts.take(ann).is_err());
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(take(&counts, ann), Ok(standing(0, 60)));
        assert_eq!(
            counts.release(place),
            standing(0, 60),
            "it was a place of the last time"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn many_keys_have_a_bound_and_push_out_none_that_has_used_up_its_places() {
        let counts = RateCounters::new(Rate::per_minute(2));
        let worn = counts.key(&"worn");
        while counts.take(worn).is_ok() {}
        for key in 0..500_000 {
            let _ = counts.take(counts.key(&key));
        }
        assert_eq!(take(&counts, worn), Err(standing(0, 60)));
        let kept = |shelf: &Mutex<Vec<RateCounter>>| shelf.lock().expect("a shelf").capacity();
        assert!(counts.shelves.iter().map(kept).sum::<usize>() <= BUCKETS * SLOTS);
        tokio::time::advance(Duration::from_secs(60)).await;
        let _ = counts.take(worn);
        assert_eq!(counts.bucket(worn.0).len(), 1, "what is over makes way first");
    }

    #[test]
    fn threads_never_take_the_same_place() {
        let counts = RateCounters::new(Rate::per_hour(1000));
        let key = counts.key(&"all");
        let take = || (0..500).filter(|_| counts.take(key).is_ok()).count();
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
