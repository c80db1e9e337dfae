//! When a call is tried again.

use ports::ChatError;
use std::time::Duration;

/// Calls for one answer, the first one included.
pub(crate) const ATTEMPTS_MAX: u32 = 3;

/// The first pause; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(500);

/// A server that asks for a longer wait is not waited for: the person is told how long it is, and decides.
const WAIT_MAX: Duration = Duration::from_secs(20);

/// How long to wait before attempt `attempt + 1`, or `None` when another attempt cannot help.
pub(crate) fn pause(error: &ChatError, attempt: u32) -> Option<Duration> {
    if attempt >= ATTEMPTS_MAX {
        return None;
    }
    let asked = match error {
        ChatError::RateLimited { wait, .. } | ChatError::Overloaded { wait, .. } => *wait,
        ChatError::Unreachable { .. } | ChatError::BrokeOff { .. } => None,
        _ => return None,
    };
    let backoff = PAUSE * 2_u32.pow(attempt.saturating_sub(1));
    // Up to half as much again, so that many apps that were cut off together do not come back together.
    let jitter = backoff.mul_f64(fastrand::f64() / 2.0);
    let pause = asked.unwrap_or(backoff) + jitter;
    (pause <= WAIT_MAX).then_some(pause)
}
