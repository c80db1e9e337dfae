//! Use cases: run a turn, decide a review, look into the memory. Builds the adapters, owns background
//! tasks, publishes events.

mod background;
mod backups;
mod chat;
mod clock;
mod erasing;
mod error;
mod events;
mod explain;
mod health;
mod history;
mod memories;
mod modes;
mod observer;
mod open;
mod preferences;
mod provenance;
mod query_text;
mod reembedding;
mod reviews;
mod sources;
mod threads;
mod token_vectors;
mod troubles;
mod turns;
mod views;

pub use backups::{BackupView, list_backups, restore_backup};
pub use clock::SystemClock;
pub use erasing::*;
pub use error::*;
pub use events::*;
pub use history::*;
pub use modes::{NamespaceView, ThreadMode};
pub use observer::Fault;
pub use open::{Engine, Env, Options, database};
pub use provenance::*;
pub use reembedding::{Ended, ModelSwitch, OpenModel, Reembedding, embed_missing};
pub use reviews::*;
pub use token_vectors::embed_token_vectors;
pub use views::*;

#[cfg(test)]
mod tests;
