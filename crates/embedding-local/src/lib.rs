//! Vectors made on this machine: finds and checks the model's files, runs the model on a thread of its own.
#![expect(
    clippy::disallowed_methods,
    reason = "an adapter: reads the model's files and where the user keeps them"
)]

mod candle;
mod choice;
mod chunks;
mod e5;
mod files;
mod forward;
mod local;
mod locations;
mod model;
mod static_model;
mod tokens;
mod worker;

pub use choice::TransformersLoader;
pub use files::FilesError;
pub use forward::Precision;
pub use local::{LocalEmbedder, LocalModel};
pub use locations::{find_model_dir, models_folders};
pub use static_model::{StaticEmbedder, StaticLoader};

#[cfg(test)]
mod tests;
