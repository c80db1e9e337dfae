//! Use cases: run a turn, decide a review, look into the memory. Builds the adapters, owns background
//! tasks, publishes events.

mod error;
mod events;
mod views;

pub use error::*;
pub use events::*;
pub use views::*;
