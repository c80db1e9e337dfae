//! The clock of this machine.

use memory_model::Timestamp;
use ports::Clock;

/// The time of this machine, UTC, and its zone.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the app reads the clock"
    )]
    fn now(&self) -> Timestamp {
        let since_epoch = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }

    fn utc_offset_minutes(&self, at: Timestamp) -> i32 {
        jiff::Timestamp::from_millisecond(at.as_millis())
            .map_or(0, |at| jiff::tz::TimeZone::system().to_offset(at).seconds() / 60)
    }
}
