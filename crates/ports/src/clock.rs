//! The time.

use memory_model::Timestamp;

/// Says what time it is. Rules take the time as an argument; only the engine asks.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}
