//! Use cases: run a turn, decide a review, look into the memory. Builds the adapters, owns background
//! tasks, publishes events.

mod open;
mod turns;
mod threads;
mod memories;
mod query_text;
mod reviews;
mod preferences;
mod health;
mod background;
mod observer;
mod clock;
mod error;
mod events;
mod views;

pub use clock::SystemClock;
pub use error::*;
pub use events::*;
pub use observer::Fault;
pub use open::{Engine, Env, Options};
pub use views::*;

#[cfg(test)]
mod tests;
