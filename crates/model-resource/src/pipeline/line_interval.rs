//! Interval between lines of the log about what may happen to many requests at the same time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::pipeline::error::Error;

/// Minimum time between two lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Lines about lists that ended before their last row.
static CUT_OFF: LineInterval = LineInterval::new();

/// Counts what happened since the last line.
#[derive(Default)]
pub(crate) struct LineInterval(Mutex<Option<LastLine>>);

struct LastLine {
    written: Instant,
    since: u64,
}

/// Logs that a list was cut off, unless another was shortly before.
pub(crate) fn log_cut_off(error: &Error) {
    if let Some(others) = CUT_OFF.due(Instant::now()) {
        tracing::error!(%error, others, "a list was cut off");
    }
}

impl LineInterval {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the number of other ones since the last line if another one is due.
    pub(crate) fn due(&self, now: Instant) -> Option<u64> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *last {
            Some(last) if now < last.written + INTERVAL => {
                last.since += 1;
                None
            }
            _ => {
                let next = LastLine {
                    written: now,
                    since: 0,
                };
                Some(last.replace(next).map_or(0, |last| last.since))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_is_logged_and_then_one_per_interval_with_the_number_of_others() {
        let (log, begin) = (LineInterval::new(), Instant::now());
        assert_eq!(log.due(begin), Some(0));
        assert_eq!(log.due(begin), None);
        assert_eq!(log.due(begin + INTERVAL / 2), None);
        assert_eq!(log.due(begin + INTERVAL), Some(2));
    }
}
