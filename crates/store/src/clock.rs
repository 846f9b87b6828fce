//! The clock of a store.

use jiff::Timestamp;
use model_resource_schema::clock::Clock;

use crate::store::Store;

impl Store {
    /// Sets the clock of this store and its clones, from which rows get their times. For tests: the default is the
    /// clock of the system.
    pub fn with_clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = clock.into();
        self
    }

    /// Clock of the store.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Current time by the clock of the store, truncated to microseconds as databases store it.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
