//! Adaptive fetch size of scans.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::brief_scan::MAX_SHORT_BYTES;

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

/// Bytes of the rows of a table as responses have them: the mean of a recent page, or what is left of that of earlier ones.
#[derive(Default)]
pub(super) struct RowSize(AtomicUsize);

impl RowSize {
    /// Whether this many rows are probably longer than a short read may be.
    pub(super) fn makes_long(&self, rows: Option<u64>) -> bool {
        let size = self.0.load(Ordering::Relaxed) as u64;
        rows.is_some_and(|rows| rows.saturating_mul(size) > MAX_SHORT_BYTES as u64)
    }

    /// Remembers the mean of a page. A smaller one counts little, since a page can have few of the columns.
    pub(super) fn observe(&self, bytes: usize) {
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(bytes.max(before - before / 64), Ordering::Relaxed);
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

    #[test]
    fn pages_of_long_rows_are_long_until_many_pages_of_short_rows_were_read() {
        let size = RowSize::default();
        assert!(!size.makes_long(Some(1000)));
        size.observe(MAX_SHORT_BYTES / 10);
        assert!(size.makes_long(Some(20)) && !size.makes_long(Some(5)) && !size.makes_long(None));
        size.observe(100);
        assert!(size.makes_long(Some(20)));
        (0..500).for_each(|_| size.observe(100));
        assert!(!size.makes_long(Some(20)));
    }
}
