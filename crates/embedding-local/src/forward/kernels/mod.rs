//! The loops in which all the time goes, once for each kind of processor. This folder is the only place of the
//! forward that needs `unsafe`: to read and write a whole register, and to call code that a processor must know.
//!
//! `body.rs` has the loops as safe code, written once over the few operations of a register that
//! `avx2.rs`, `avx512.rs` and `portable.rs` name. What runs is chosen when the program runs.

mod body;
#[cfg(target_arch = "x86_64")]
mod byte_body;
mod byte_level;
mod job;
mod level;
mod portable;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_bytes;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_bytes;

pub(crate) use byte_level::ByteLevel;
pub(crate) use job::{ByteProduct, Codes, Finish, Left, Norm, Product, Right, Target};
pub(crate) use level::Level;

#[cfg(test)]
mod tests;
