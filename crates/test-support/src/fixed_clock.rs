//! A clock that a test sets.

use memory_model::Timestamp;
use ports::Clock;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

/// Stands in for [`Clock`]: says the same time until the test moves it.
#[derive(Debug)]
pub struct FixedClock {
    now: AtomicI64,
    utc_offset_minutes: AtomicI32,
}

impl FixedClock {
    /// A clock that stands at `now`.
    pub fn new(now: Timestamp) -> Self {
        Self {
            now: AtomicI64::new(now.as_millis()),
            utc_offset_minutes: AtomicI32::new(0),
        }
    }

    /// Sets the time.
    pub fn set(&self, now: Timestamp) {
        self.now.store(now.as_millis(), Ordering::SeqCst);
    }

    /// Sets how far the user's clock is ahead of UTC, in minutes.
    pub fn set_utc_offset_minutes(&self, minutes: i32) {
        self.utc_offset_minutes.store(minutes, Ordering::SeqCst);
    }

    /// Moves the time on by a number of milliseconds.
    pub fn advance_millis(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
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
        Timestamp::from_millis(self.now.load(Ordering::SeqCst))
    }

    fn utc_offset_minutes(&self, _at: Timestamp) -> i32 {
        self.utc_offset_minutes.load(Ordering::SeqCst)
    }
}
