//! Log of requests that found the service unavailable: one line per interval, however many there are.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::Method;

use crate::pipeline::error::Error;
use crate::routing::Route;

/// Minimum time between two lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Counts the requests since the last line.
#[derive(Default)]
pub(crate) struct UnavailableLog(Mutex<Option<LastLine>>);

struct LastLine {
    written: Instant,
    since: u64,
}

impl UnavailableLog {
    /// Logs the failure of a request, unless another was logged shortly before.
    pub(crate) fn log(&self, error: &Error, method: &Method, route: &Route) {
        let Some(others) = self.due(Instant::now()) else {
            return;
        };
        let url = route.rule.as_str();
        tracing::error!(%method, url, cause = %error, others, "the service is unavailable");
        // Without a subscriber the cause would be lost, and a first application rarely has one.
        if !tracing::dispatcher::has_been_set() {
            eprintln!("the service is unavailable: {method} {url}: {error}");
        }
    }

    /// Returns the number of other requests since the last line if another one is due.
    fn due(&self, now: Instant) -> Option<u64> {
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
        let (log, begin) = (UnavailableLog::default(), Instant::now());
        assert_eq!(log.due(begin), Some(0));
        assert_eq!(log.due(begin), None);
        assert_eq!(log.due(begin + INTERVAL / 2), None);
        assert_eq!(log.due(begin + INTERVAL), Some(2));
    }
}
