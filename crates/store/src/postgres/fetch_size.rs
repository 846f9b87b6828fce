//! Adaptive fetch size of scans.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Adaptive fetch size: the number of rows that was enough for recent readers of a table.
pub(super) struct FetchSize(AtomicUsize);

impl Default for FetchSize {
    /// Initial size, before any reader was observed.
    fn default() -> Self {
        Self(AtomicUsize::new(192))
    }
}

impl FetchSize {
    /// Number of rows that is probably enough for the next reader.
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Remembers how many rows were enough. Adds a margin and rounds, so that few distinct statements serve all
    /// readers.
    pub(super) fn observe(&self, rows: usize) {
        let spare = rows + rows / 16;
        let step = (spare.next_power_of_two() / 16).max(4);
        self.0
            .store(spare.next_multiple_of(step).clamp(16, 4096), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_enough_is_enough_again_with_little_to_spare() {
        let enough = FetchSize::default();
        for (rows, next) in [
            (1, 16),
            (100, 112),
            (158, 176),
            (162, 176),
            (1_000, 1152),
            (100_000, 4096),
        ] {
            enough.observe(rows);
            assert_eq!(enough.get(), next, "after {rows}");
        }
    }
}
