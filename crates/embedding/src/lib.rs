//! Picks an embedding source, knows what is particular to each model, keeps recent vectors, and holds a
//! model that is still being loaded. No model runs here: `embedding-local` does that.

mod auto;
mod cached;
mod lazy;
mod profile;
mod source;

pub use auto::*;
pub use cached::*;
pub use lazy::*;
pub use profile::*;
pub use source::*;

#[cfg(test)]
mod tests;
