//! The words of the product: what a memory, a candidate, a skip reason, a review item and a turn are.
//!
//! Plain data. Nothing here decides anything or touches the world.

mod candidate;
mod change;
mod conversation;
mod ids;
mod memory;
mod mode;
mod review;
mod search;
mod source;
mod text;
mod time;
mod turn;

pub use candidate::*;
pub use change::*;
pub use conversation::*;
pub use ids::*;
pub use memory::*;
pub use mode::*;
pub use review::*;
pub use search::*;
pub use source::*;
pub use text::*;
pub use time::*;
pub use turn::*;

#[cfg(test)]
mod tests;
