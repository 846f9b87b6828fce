//! Latencies of requests.

use std::collections::BTreeMap;
use std::time::Duration;

/// Latencies and statuses of the requests of one kind.
#[derive(Default)]
pub(crate) struct Latencies {
    times: Vec<Duration>,
    /// Numbers of responses by status; 0 for requests without a response.
    pub(crate) statuses: BTreeMap<u16, u64>,
}

impl Latencies {
    pub(crate) fn add(&mut self, status: u16, time: Duration) {
        self.times.push(time);
        *self.statuses.entry(status).or_default() += 1;
    }

    /// Returns the latency that 99 of 100 requests do not exceed.
    pub(crate) fn p99(&self) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        let rank = (times.len() * 99).div_ceil(100).saturating_sub(1);
        times.get(rank).copied().unwrap_or_default()
    }

    /// Number of requests without a successful response.
    pub(crate) fn failed(&self) -> u64 {
        let failed = self
            .statuses
            .iter()
            .filter(|(status, _)| !(200..300).contains(*status));
        failed.map(|(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_of_a_hundred_may_take_longer_than_the_99th_percentile() {
        let mut latencies = Latencies::default();
        for time in 1..=200 {
            latencies.add(if time > 199 { 503 } else { 200 }, Duration::from_millis(time));
        }
        assert_eq!(latencies.p99(), Duration::from_millis(198));
        assert_eq!(latencies.failed(), 1);
    }
}
