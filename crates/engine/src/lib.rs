//! Use cases: run a turn, decide a review, look into the memory. Builds the adapters, owns background
//! tasks, publishes events.

mod background;
mod chat;
mod clock;
mod error;
mod events;
mod explain;
mod health;
mod memories;
mod observer;
mod open;
mod preferences;
mod query_text;
mod reembedding;
mod reviews;
mod threads;
mod troubles;
mod turns;
mod views;

pub use clock::SystemClock;
pub use error::*;
pub use events::*;
pub use observer::Fault;
pub use open::{Engine, Env, Options};
pub use reembedding::{Ended, ModelSwitch, OpenModel, Reembedding, embed_missing};
pub use views::*;

#[cfg(test)]
mod tests;
