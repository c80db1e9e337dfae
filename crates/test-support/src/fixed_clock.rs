//! A clock that a test sets.

use memory_model::Timestamp;
use ports::Clock;
use std::sync::atomic::{AtomicI64, Ordering};

/// Stands in for [`Clock`]: says the same time until the test moves it.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that stands at `now`.
    pub fn new(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.as_millis()))
    }

    /// Sets the time.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_millis(), Ordering::SeqCst);
    }

    /// Moves the time on by a number of milliseconds.
    pub fn advance_millis(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Default for FixedClock {
    /// Stands at [`crate::sample::at`]`(0)`.
    fn default() -> Self {
        Self::new(crate::sample::at(0))
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}
