//! Queues of CPU-bound jobs, one for each place in the code that submits them.

use std::collections::{HashMap, VecDeque};
use std::panic::Location;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A job.
pub(crate) type CpuJob = Box<dyn FnOnce() + Send>;

/// Jobs that wait for a thread.
pub(crate) struct CpuQueue {
    places: Mutex<Places>,
    submitted: Condvar,
    /// Maximum number of waiting jobs of one place.
    max_waiting: usize,
}

/// Places take turns by virtual time (start-time fair queueing): the clock of each runs while its jobs do, and the one
/// that is behind is served first. A place without jobs falls behind no further than the clock of the job in service, so
/// that a rest is neither saved up nor paid for.
#[derive(Default)]
struct Places {
    all: HashMap<&'static Location<'static>, Place>,
    /// Clock of the place that was served last, when it was.
    clock: Duration,
}

#[derive(Default)]
struct Place {
    waiting: VecDeque<CpuJob>,
    clock: Duration,
}

impl CpuQueue {
    pub(crate) fn new(max_waiting: usize) -> Self {
        Self {
            places: Mutex::default(),
            submitted: Condvar::new(),
            max_waiting,
        }
    }

    /// Adds a job, unless too many jobs of its place wait. Returns whether it was added.
    pub(crate) fn push(&self, place: &'static Location<'static>, job: CpuJob) -> bool {
        let mut places = self.places();
        let Places { all, clock } = &mut *places;
        let place = all.entry(place).or_default();
        if place.waiting.len() >= self.max_waiting {
            return false;
        }
        if place.waiting.is_empty() {
            place.clock = place.clock.max(*clock);
        }
        place.waiting.push_back(job);
        self.submitted.notify_one();
        true
    }

    /// Runs jobs forever.
    pub(crate) fn run_jobs(&self) {
        loop {
            let (place, job) = self.next();
            let begin = Instant::now();
            job();
            self.places().add(place, begin.elapsed());
        }
    }

    /// Waits for a job of the place that is behind.
    fn next(&self) -> (&'static Location<'static>, CpuJob) {
        let mut places = self.places();
        loop {
            if let Some(next) = places.take() {
                return next;
            }
            let waited = self.submitted.wait(places);
            places = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Number of waiting jobs of all places.
    #[cfg(any(test, feature = "prometheus"))]
    pub(crate) fn waiting(&self) -> usize {
        self.places().all.values().map(|place| place.waiting.len()).sum()
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    fn take(&mut self) -> Option<(&'static Location<'static>, CpuJob)> {
        let waiting = self.all.iter_mut().filter(|(_, place)| !place.waiting.is_empty());
        let (name, place) = waiting.min_by_key(|(_, place)| place.clock)?;
        self.clock = self.clock.max(place.clock);
        Some((*name, place.waiting.pop_front()?))
    }

    fn add(&mut self, place: &'static Location<'static>, time: Duration) {
        if let Some(place) = self.all.get_mut(place) {
            place.clock += time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, mpsc};

    /// LOAD-77: a place whose jobs have used little time does not wait behind the queue of another.
    #[test]
    fn the_place_that_has_used_the_least_time_is_served_first() {
        let queue = Arc::new(CpuQueue::new(100));
        let (busy, quiet) = (Location::caller(), quiet_place());
        let (done, order) = mpsc::channel();
        let job = |name: &'static str| {
            let done = done.clone();
            Box::new(move || {
                std::thread::sleep(Duration::from_millis(5));
                done.send(name).expect("a receiver");
            })
        };
        for _ in 0..20 {
            assert!(queue.push(busy, job("busy")));
        }
        let thread = Arc::clone(&queue);
        std::thread::spawn(move || thread.run_jobs());
        for _ in 0..3 {
            assert_eq!(order.recv(), Ok("busy"));
        }
        assert!(queue.push(quiet, job("quiet")));
        let position = order.iter().take(18).position(|name| name == "quiet");
        assert!(position.is_some_and(|position| position <= 2), "{position:?}");
    }

    /// LOAD-77: jobs that ran while no others waited do not count against their place.
    #[test]
    fn a_place_that_was_busy_alone_does_not_wait_for_others_to_catch_up() {
        let queue = Arc::new(CpuQueue::new(100));
        let (earlier, later) = (Location::caller(), quiet_place());
        let (done, order) = mpsc::channel();
        let job = |name: &'static str| {
            let done = done.clone();
            Box::new(move || {
                std::thread::sleep(Duration::from_millis(5));
                done.send(name).expect("a receiver");
            })
        };
        let thread = Arc::clone(&queue);
        std::thread::spawn(move || thread.run_jobs());
        for _ in 0..20 {
            assert!(queue.push(earlier, job("earlier")));
            assert_eq!(order.recv(), Ok("earlier"));
        }
        for _ in 0..20 {
            assert!(queue.push(later, job("later")));
        }
        assert!(queue.push(earlier, job("earlier")));
        let position = order.iter().take(21).position(|name| name == "earlier");
        assert!(position.is_some_and(|position| position <= 3), "{position:?}");
    }

    #[track_caller]
    fn quiet_place() -> &'static Location<'static> {
        Location::caller()
    }

    #[test]
    fn a_full_queue_of_one_place_refuses_only_its_own_jobs() {
        let queue = CpuQueue::new(1);
        let (full, other) = (Location::caller(), quiet_place());
        assert!(queue.push(full, Box::new(|| ())));
        assert!(!queue.push(full, Box::new(|| ())));
        assert!(queue.push(other, Box::new(|| ())));
        assert_eq!(queue.waiting(), 2);
    }
}
