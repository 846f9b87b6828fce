//! Latencies of requests.

use std::time::Duration;

/// Outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    /// A 503 with `Retry-After`.
    Unavailable,
    /// Any other response, or none.
    Failure,
}

/// Latencies and outcomes of the requests of one kind.
#[derive(Default)]
pub(crate) struct Latencies {
    times: Vec<Duration>,
    unavailable: u64,
    failed: u64,
}

impl Latencies {
    pub(crate) fn add(&mut self, outcome: Outcome, time: Duration) {
        self.times.push(time);
        match outcome {
            Outcome::Success => {}
            Outcome::Unavailable => self.unavailable += 1,
            Outcome::Failure => self.failed += 1,
        }
    }

    /// Returns the latency that 99 of 100 requests do not exceed.
    pub(crate) fn p99(&self) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        let rank = (times.len() * 99).div_ceil(100).saturating_sub(1);
        times.get(rank).copied().unwrap_or_default()
    }

    /// Returns the latency that no request exceeds.
    pub(crate) fn longest(&self) -> Duration {
        self.times.iter().copied().max().unwrap_or_default()
    }

    /// Number of requests with a 503 and `Retry-After`.
    pub(crate) fn unavailable(&self) -> u64 {
        self.unavailable
    }

    /// Number of requests with any other response than a success, or none.
    pub(crate) fn failed(&self) -> u64 {
        self.failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_of_a_hundred_may_take_longer_than_the_99th_percentile() {
        let mut latencies = Latencies::default();
        for time in 1..=200 {
            let outcome = match time {
                200 => Outcome::Unavailable,
                199 => Outcome::Failure,
                _ => Outcome::Success,
            };
            latencies.add(outcome, Duration::from_millis(time));
        }
        assert_eq!(latencies.p99(), Duration::from_millis(198));
        assert_eq!(latencies.longest(), Duration::from_millis(200));
        assert_eq!((latencies.unavailable(), latencies.failed()), (1, 1));
    }
}
