//! Memory and open files of the server over time.

use std::time::Duration;

use tokio::time::Instant;

use crate::failure::Failure;
use crate::server::Server;

/// Interval between two samples.
const INTERVAL: Duration = Duration::from_millis(250);
/// Growth of the memory between the second and the last quarter that is not a leak, as a ratio. The allocator keeps
/// pages of past peaks, and a list in transit takes a few MiB.
const MAX_MEMORY_RATIO: f64 = 1.15;
/// Growth in MiB that is not a leak: a quarter of the server's budget for bodies and responses, which the load uses
/// more at some times than at others. It matters for a small process only.
const MEMORY_ALLOWANCE: f64 = 16.0;
/// Growth of the number of open files that is not a leak: connections to the database, of which there are at most 20,
/// are opened when they are needed.
const FILES_ALLOWANCE: u64 = 20;

/// Samples of the server's memory in MiB and of its open files.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    memory: Vec<u64>,
    files: Vec<u64>,
}

/// Medians of the second and of the last quarter. The first quarter fills caches and pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trend {
    pub(crate) early: u64,
    pub(crate) late: u64,
}

impl Samples {
    /// Takes samples for a time.
    pub(crate) async fn take(server: &Server, time: Duration) -> Result<Self, Failure> {
        let mut samples = Self::default();
        let end = Instant::now() + time;
        while Instant::now() < end {
            samples.memory.push(server.memory()?);
            samples.files.push(server.open_files()?);
            tokio::time::sleep(INTERVAL).await;
        }
        Ok(samples)
    }

    pub(crate) fn memory(&self) -> Trend {
        Trend::of(&self.memory)
    }

    pub(crate) fn files(&self) -> Trend {
        Trend::of(&self.files)
    }
}

impl Trend {
    fn of(samples: &[u64]) -> Self {
        let quarter = samples.len() / 4;
        Self {
            early: median(&samples[quarter..2 * quarter]),
            late: median(&samples[samples.len() - quarter..]),
        }
    }

    /// Whether this is memory that does not grow.
    pub(crate) fn is_flat_memory(self) -> bool {
        self.late as f64 <= self.early as f64 * MAX_MEMORY_RATIO + MEMORY_ALLOWANCE
    }

    /// Whether these are open files whose number does not grow.
    pub(crate) fn are_flat_files(self) -> bool {
        self.late <= self.early + FILES_ALLOWANCE
    }
}

fn median(samples: &[u64]) -> u64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_and_peaks_are_flat_and_steady_growth_is_not() {
        let warm_up = [vec![20; 10], vec![90; 10], vec![95; 10], vec![98; 10]].concat();
        assert_eq!(Trend::of(&warm_up), Trend { early: 90, late: 98 });
        assert!(Trend::of(&warm_up).is_flat_memory());
        let peaks: Vec<u64> = (0..40)
            .map(|number| if number % 5 == 0 { 300 } else { 90 })
            .collect();
        assert!(Trend::of(&peaks).is_flat_memory());
        let leak: Vec<u64> = (0..40).map(|number| 90 + 2 * number).collect();
        assert!(!Trend::of(&leak).is_flat_memory());
        let leak: Vec<u64> = (0..40).map(|number| 40 + 2 * number).collect();
        assert!(!Trend::of(&leak).are_flat_files());
    }
}
