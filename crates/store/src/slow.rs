//! Statements that take long, in the log.

#[cfg(feature = "sqlite")]
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use model_resource_schema::column::Table;

/// Interval between two lines; slow statements in between are only counted, because they come in crowds.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum bytes of a handwritten statement in a line.
const MAX_TEXT: usize = 500;

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

/// Subject of a statement, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject<'s> {
    /// The table that it is about.
    Table(&'static Table),
    /// Its text, which is handwritten.
    Text(&'s str),
    /// A transaction.
    Transaction,
}

/// Timer of a commit that follows work on another thread. Clones share it.
#[cfg(feature = "sqlite")]
#[derive(Clone)]
pub(crate) struct CommitTimer {
    start: Arc<OnceLock<Instant>>,
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

#[cfg(feature = "sqlite")]
impl CommitTimer {
    pub(crate) fn new(threshold: SlowThreshold) -> Self {
        Self {
            start: Arc::default(),
            threshold: threshold.0,
        }
    }

    /// Awaits the work, at whose end the commit begins.
    pub(crate) async fn start_after<T>(self, work: impl Future<Output = T>) -> T {
        let result = work.await;
        self.start.set(Instant::now()).ok();
        result
    }

    /// Ends the commit, and logs it if it was slow.
    pub(crate) fn end(&self) {
        if let Some(start) = self.start.get() {
            let (start, threshold) = (*start, self.threshold);
            StatementTimer { start, threshold }.end("commit", Subject::Transaction);
        }
    }
}

impl StatementTimer {
    /// Ends the statement, and logs it if it was slow.
    pub(crate) fn end<'s>(self, operation: &str, subject: impl Into<Subject<'s>>) {
        if let Some(slow) = self.slow() {
            slow.log(operation, subject, "");
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
    pub(crate) fn log<'s>(&self, operation: &str, subject: impl Into<Subject<'s>>, hint: &str) {
        let ms = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX);
        let (table, sql) = match subject.into() {
            Subject::Table(table) => (Some(table.name), None),
            Subject::Text(text) => (None, Some(beginning(text))),
            Subject::Transaction => (None, None),
        };
        let (hint, suppressed) = (Some(hint).filter(|hint| !hint.is_empty()), self.suppressed);
        tracing::warn!(operation, table, sql, ms, hint, suppressed, "slow statement");
    }
}

impl From<&'static Table> for Subject<'_> {
    fn from(table: &'static Table) -> Self {
        Self::Table(table)
    }
}

impl<'s> From<&'s str> for Subject<'s> {
    fn from(text: &'s str) -> Self {
        Self::Text(text)
    }
}

/// Beginning of a statement, as much as fits into a line of the log.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
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
