//! Statements that take long, in the log.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use model_resource_schema::column::Table;

/// Interval between two lines; slow statements in between are only counted, because they come in crowds.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Duration from which on a statement is slow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlowThreshold(pub(crate) Duration);

impl Default for SlowThreshold {
    fn default() -> Self {
        Self(Duration::from_millis(500))
    }
}

/// Timer of one statement, with the time that it waits for a connection.
pub(crate) struct StatementTimer {
    start: Instant,
    threshold: Duration,
}

/// Slow statement that is to be logged.
pub(crate) struct SlowStatement {
    duration: Duration,
    /// Slow statements since the last line that were not logged.
    suppressed: u64,
}

impl SlowThreshold {
    pub(crate) fn start(self) -> StatementTimer {
        StatementTimer {
            start: Instant::now(),
            threshold: self.0,
        }
    }
}

impl StatementTimer {
    /// Ends the statement, and logs it if it was slow.
    pub(crate) fn end(self, operation: &str, table: &Table) {
        if let Some(slow) = self.slow() {
            slow.log(operation, table, "");
        }
    }

    /// Ends the statement. Returns it if it was slow and it is time for another line.
    pub(crate) fn slow(self) -> Option<SlowStatement> {
        let duration = self.start.elapsed();
        if duration < self.threshold {
            return None;
        }
        take_turn().map(|suppressed| SlowStatement { duration, suppressed })
    }
}

impl SlowStatement {
    /// Logs the statement, with a hint of the query plan if there is one.
    pub(crate) fn log(&self, operation: &str, table: &Table, hint: &str) {
        let ms = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX);
        let (table, suppressed) = (table.name, self.suppressed);
        let hint = Some(hint).filter(|hint| !hint.is_empty());
        tracing::warn!(operation, table, ms, hint, suppressed, "slow statement");
    }
}

/// Returns the number of statements that were not logged since the last line, if it is time for another one.
fn take_turn() -> Option<u64> {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static SUPPRESSED: AtomicU64 = AtomicU64::new(0);
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let now = millis(FIRST.get_or_init(Instant::now).elapsed());
    let next = NEXT.load(Ordering::Relaxed);
    let is_turn = now >= next
        && NEXT
            .compare_exchange(
                next,
                now + millis(LINE_INTERVAL),
                Ordering::Relaxed,
                Ordering::Relaxed,
            )
            .is_ok();
    if is_turn {
        return Some(SUPPRESSED.swap(0, Ordering::Relaxed));
    }
    SUPPRESSED.fetch_add(1, Ordering::Relaxed);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_slow_from_the_threshold_on_and_lines_are_limited() {
        let ends = |threshold| SlowThreshold(threshold).start().slow();
        assert!(ends(Duration::from_secs(60)).is_none());
        let slow = ends(Duration::ZERO).expect("the first slow statement is logged");
        assert_eq!(slow.suppressed, 0);
        assert!(ends(Duration::ZERO).is_none(), "the next one is only counted");
    }
}
