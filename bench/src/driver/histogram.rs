//! Histogram of latencies, with buckets of about one percent.

use std::time::Duration;

/// Number of buckets per power of two, as an exponent of two.
const FINE: u32 = 7;

pub(super) struct Histogram {
    buckets: Vec<u64>,
    count: u64,
}

impl Histogram {
    pub(super) fn new() -> Self {
        Self {
            buckets: vec![0; (64 - FINE as usize + 1) << FINE],
            count: 0,
        }
    }

    pub(super) fn add(&mut self, latency: Duration) {
        self.buckets[bucket(latency.as_nanos() as u64)] += 1;
        self.count += 1;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        std::iter::zip(&mut self.buckets, &other.buckets).for_each(|(own, others)| *own += others);
        self.count += other.count;
    }

    /// Returns the latency in milliseconds that this share of the requests does not exceed.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let rank = ((self.count as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        let at = self.buckets.iter().position(|bucket| {
            seen += bucket;
            seen >= rank
        });
        at.map_or(0.0, |at| middle(at) / 1e6)
    }
}

fn bucket(nanos: u64) -> usize {
    let shift = (63 - FINE).saturating_sub((nanos | 1).leading_zeros());
    ((shift as usize) << FINE) + (nanos >> shift) as usize
}

fn middle(bucket: usize) -> f64 {
    let shift = (bucket >> FINE).saturating_sub(1);
    let first = (bucket - (shift << FINE)) as f64;
    (first + 0.5) * (1u64 << shift) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_within_one_percent_of_its_values() {
        for nanos in (0..60).flat_map(|power| [1u64 << power, (1 << power) * 3 / 2, (2 << power) - 1]) {
            let off = (middle(bucket(nanos)) - nanos as f64).abs();
            assert!(off <= 0.5 + nanos as f64 * 0.01, "{nanos} is off by {off}");
        }
    }

    #[test]
    fn a_quantile_is_not_exceeded_by_its_share() {
        let mut histogram = Histogram::new();
        (1..=1000).for_each(|millis| histogram.add(Duration::from_millis(millis)));
        assert!((histogram.quantile(0.5) - 500.0).abs() < 5.0);
        assert!((histogram.quantile(0.99) - 990.0).abs() < 10.0);
    }
}
