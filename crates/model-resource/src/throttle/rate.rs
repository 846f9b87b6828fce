//! Rate: a number of requests per time window.

use std::time::Duration;

use crate::http::MAX_TIMEOUT;

/// Number of requests per time window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub(super) max: u32,
    pub(super) window: Duration,
}

impl Rate {
    /// Allows `max` requests per window of whole seconds.
    ///
    /// # Panics
    /// If `max` is 0, or the window is shorter than a second, not of whole seconds, or longer than 30 years.
    #[track_caller]
    pub fn new(max: u32, window: Duration) -> Self {
        assert!(max > 0, "a rate allows at least 1 request");
        assert!(
            window.as_secs() > 0 && window.subsec_nanos() == 0,
            "the window of a rate is at least 1 second, in whole seconds, because headers report it so"
        );
        assert!(
            window <= MAX_TIMEOUT,
            "the window of a rate is at most 30 years, because its end must be a valid time"
        );
        Self { max, window }
    }

    /// Allows `max` requests per second.
    #[track_caller]
    pub fn per_second(max: u32) -> Self {
        Self::new(max, Duration::from_secs(1))
    }

    /// Allows `max` requests per minute.
    #[track_caller]
    pub fn per_minute(max: u32) -> Self {
        Self::new(max, Duration::from_secs(60))
    }

    /// Allows `max` requests per hour.
    #[track_caller]
    pub fn per_hour(max: u32) -> Self {
        Self::new(max, Duration::from_secs(60 * 60))
    }
}
