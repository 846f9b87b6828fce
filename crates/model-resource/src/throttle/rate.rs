//! So many requests in such a time.

use std::time::Duration;

use crate::timer::LONGEST;

/// So many requests in such a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub(super) most: u32,
    pub(super) window: Duration,
}

impl Rate {
    /// So many in any time of whole seconds.
    ///
    /// # Panics
    /// When it would let nobody in, or the time is none or longer than 30 years.
    #[track_caller]
    pub fn new(most: u32, window: Duration) -> Self {
        assert!(most > 0, "a rate lets somebody in: at least 1");
        assert!(
            window.as_secs() > 0 && window.subsec_nanos() == 0,
            "a rate is of whole seconds, since clients are told them: at least 1"
        );
        assert!(
            window <= LONGEST,
            "a rate is of at most 30 years, since the end of its window must be a time that can be written"
        );
        Self { most, window }
    }

    /// So many in a second.
    #[track_caller]
    pub fn per_second(most: u32) -> Self {
        Self::new(most, Duration::from_secs(1))
    }

    /// So many in a minute.
    #[track_caller]
    pub fn per_minute(most: u32) -> Self {
        Self::new(most, Duration::from_secs(60))
    }

    /// So many in an hour.
    #[track_caller]
    pub fn per_hour(most: u32) -> Self {
        Self::new(most, Duration::from_secs(60 * 60))
    }
}
