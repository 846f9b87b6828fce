//! Queues of CPU-bound jobs, one for each place in the code that submits them.

use std::collections::{HashMap, VecDeque};
use std::panic::Location;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A job.
pub(crate) type CpuJob = Box<dyn FnOnce() + Send>;

/// Time of all jobs after which the time that each place has used is halved.
const RECENT: Duration = Duration::from_secs(2);

/// Jobs that wait for a thread.
pub(crate) struct CpuQueue {
    places: Mutex<Places>,
    submitted: Condvar,
    /// Maximum number of waiting jobs of one place.
    max_waiting: usize,
}

#[derive(Default)]
struct Places {
    all: HashMap<&'static Location<'static>, Place>,
    /// Time that jobs have used since the last halving.
    used: Duration,
}

#[derive(Default)]
struct Place {
    waiting: VecDeque<CpuJob>,
    /// Time that its jobs have used recently.
    used: Duration,
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
        let place = places.all.entry(place).or_default();
        if place.waiting.len() >= self.max_waiting {
            return false;
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

    /// Waits for a job of the place that has used the least time.
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

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    fn take(&mut self) -> Option<(&'static Location<'static>, CpuJob)> {
        let waiting = self.all.iter_mut().filter(|(_, place)| !place.waiting.is_empty());
        let (name, place) = waiting.min_by_key(|(_, place)| place.used)?;
        Some((*name, place.waiting.pop_front()?))
    }

    fn add(&mut self, place: &'static Location<'static>, time: Duration) {
        if let Some(place) = self.all.get_mut(place) {
            place.used += time;
        }
        self.used += time;
        if self.used >= RECENT {
            self.used = Duration::ZERO;
            self.all.values_mut().for_each(|place| place.used /= 2);
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
    }
}
