//! The fast forward of the BERT family: weights rearranged once for the processor's registers, texts one after the
//! other without filling up, and everything that follows a product done while its result is still at hand.
//! candle is the oracle of its tests and runs where this one cannot.

pub(crate) mod encoder;
pub(crate) mod safetensors;
pub(crate) mod weights;
pub(crate) mod words;

mod attention;
mod kernels;
mod packed;
mod packed_bytes;

pub(crate) use encoder::{Forward, ForwardError};
pub(crate) use kernels::Level;
pub use weights::Precision;
pub(crate) use weights::Shape;

#[cfg(test)]
mod tests;
