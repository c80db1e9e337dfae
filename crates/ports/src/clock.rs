//! The time.

use memory_model::Timestamp;

/// Says what time it is. Rules take the time as an argument; only the engine asks.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;

    /// How far the clock on the user's wall is ahead of UTC at a time, in minutes; negative west of Greenwich. Words
    /// such as "yesterday" mean days of that clock. Without a known zone it is UTC.
    fn utc_offset_minutes(&self, at: Timestamp) -> i32 {
        let _ = at;
        0
    }
}
