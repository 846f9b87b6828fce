//! The clock that the times of an application are read from.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use uuid::{ContextV7, Uuid};

use crate::calendar;

/// Counter that keeps the UUID v7 keys of one clock in the order of their creation.
type KeyCounter = Mutex<AssertUnwindSafe<ContextV7>>;

/// Keys that are created at the time of the system.
static SYSTEM_KEYS: KeyCounter = Mutex::new(AssertUnwindSafe(ContextV7::new()));

/// Clock of an application, from which rows, credentials and rate limits get their times: that of the system, or in
/// tests a [`ManualClock`].
///
/// ```
/// use model_resource_schema::clock::{Clock, ManualClock};
///
/// let noon = "2026-03-01T12:00:00Z".parse().expect("a time");
/// let manual = ManualClock::at(noon);
/// let clock = Clock::from(manual.clone());
/// assert_eq!(clock.now(), noon);
/// manual.advance(std::time::Duration::from_secs(60));
/// assert_eq!(clock.now().to_string(), "2026-03-01T12:01:00Z");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Clock(Option<ManualClock>);

impl Clock {
    /// Clock of the system, which every store has unless a test gives it another one.
    pub const fn system() -> Self {
        Self(None)
    }

    /// Current time, truncated to microseconds as databases store it.
    #[inline]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            None => calendar::now(),
            Some(manual) => manual.now(),
        }
    }

    /// The manual clock, if it is one.
    pub fn manual(&self) -> Option<&ManualClock> {
        self.0.as_ref()
    }

    /// Creates a UUID v7, which cannot hold a time before 1970: such a clock yields the time 0.
    pub(crate) fn uuid_at(&self, now: Timestamp) -> Uuid {
        let since_1970 = Duration::try_from(now.as_duration()).unwrap_or_default();
        let keys = self.0.as_ref().map_or(&SYSTEM_KEYS, |manual| &manual.0.keys);
        let (seconds, nanos) = (since_1970.as_secs(), since_1970.subsec_nanos());
        Uuid::new_v7(uuid::Timestamp::from_unix(keys, seconds, nanos))
    }
}

impl From<ManualClock> for Clock {
    fn from(manual: ManualClock) -> Self {
        Self(Some(manual))
    }
}

/// Clock for tests, which moves only when the test sets or advances it. Clones are the same clock.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<StandingTime>);

struct StandingTime {
    /// Microseconds since 1970.
    micros: AtomicI64,
    /// Time at the creation, and the moment of it, from which intervals are measured.
    origin: (i64, Instant),
    keys: KeyCounter,
}

impl ManualClock {
    /// Creates a clock at this time.
    pub fn at(time: Timestamp) -> Self {
        let micros = time.as_microsecond();
        Self(Arc::new(StandingTime {
            micros: AtomicI64::new(micros),
            origin: (micros, Instant::now()),
            keys: Mutex::new(AssertUnwindSafe(ContextV7::new())),
        }))
    }

    /// The time of the clock.
    pub fn now(&self) -> Timestamp {
        let micros = self.0.micros.load(Ordering::SeqCst);
        calendar::timestamp_from_micros(micros).expect("the clock was set to a valid time")
    }

    /// Moment of the clock, for measuring intervals. It does not precede that of the creation.
    pub fn instant(&self) -> Instant {
        let (start, origin) = self.0.origin;
        let passed = self.0.micros.load(Ordering::SeqCst).saturating_sub(start);
        origin + Duration::from_micros(passed.try_into().unwrap_or_default())
    }

    /// Sets the time, forwards or backwards.
    pub fn set(&self, time: Timestamp) {
        self.0.micros.store(time.as_microsecond(), Ordering::SeqCst);
    }

    /// Moves the time forwards.
    ///
    /// # Panics
    /// If the time would be later than any timestamp.
    #[track_caller]
    pub fn advance(&self, duration: Duration) {
        let later = self.now().checked_add(duration);
        self.set(later.expect("the clock can only be advanced to the year 9999"));
    }
}

impl std::fmt::Debug for StandingTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StandingTime")
            .field("micros", &self.micros)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    #[test]
    fn a_manual_clock_moves_only_by_hand() {
        let manual = ManualClock::at(time("2026-03-01T12:00:00.5Z"));
        let clock = Clock::from(manual.clone());
        let moment = manual.instant();
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(clock.now(), time("2026-03-01T12:00:00.5Z"));
        manual.advance(Duration::from_secs(90));
        assert_eq!(clock.now(), time("2026-03-01T12:01:30.5Z"));
        assert_eq!(manual.instant() - moment, Duration::from_secs(90));
        manual.set(time("2020-01-01T00:00:00Z"));
        assert_eq!(clock.now(), time("2020-01-01T00:00:00Z"));
        assert_eq!(manual.instant(), moment, "an interval is never negative");
    }

    #[test]
    fn keys_of_a_manual_clock_have_its_time_and_the_order_of_their_creation() {
        let clock = Clock::from(ManualClock::at(time("2020-01-01T00:00:00Z")));
        let later = Clock::from(ManualClock::at(time("2040-01-01T00:00:00Z")));
        let key = |clock: &Clock| clock.uuid_at(clock.now());
        let (future, keys) = (key(&later), [key(&clock), key(&clock), key(&clock)]);
        assert!(keys.is_sorted() && keys[0] != keys[1], "{keys:?}");
        assert!(keys[2] < future, "another clock does not move this one");
        let unix = keys[0].get_timestamp().map(|stamp| stamp.to_unix().0);
        assert_eq!(unix, Some(1_577_836_800));
    }

    #[test]
    fn the_clock_of_the_system_moves() {
        let clock = Clock::system();
        let before = clock.now();
        std::thread::sleep(Duration::from_millis(1));
        assert!(clock.now() > before && clock.manual().is_none());
    }
}
