//! Stand-ins for the ports, sample data, and the contract that every store passes.
//!
//! Nothing here is part of the app: `InMemoryStore`, `ScriptedModel`, `HashEmbedder` and `FixedClock`
//! exist so that a unit test can run a rule without a disk, a model or a clock.

pub mod contract;
mod fixed_clock;
mod hash_embedder;
pub mod sample;
mod scripted_model;
mod store;

pub use fixed_clock::FixedClock;
pub use hash_embedder::HashEmbedder;
pub use scripted_model::{PlainSink, ScriptedModel};
pub use store::InMemoryStore;

#[cfg(test)]
mod tests;
