//! Vectors from a provider over HTTP: OpenAI, Cohere, Voyage, Ollama, and every server that speaks OpenAI's
//! protocol. Keeps the kinds of failure apart, and lets no wrong vector through: what is not right is an error,
//! so nothing wrong is indexed.

mod answer;
mod chunks;
mod client;
mod loader;
mod place;

pub use client::RemoteEmbedder;
pub use loader::RemoteLoader;
pub use place::{Place, PlaceError, Provider};

#[cfg(test)]
mod tests;
