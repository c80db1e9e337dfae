//! The engine's parts on a real database.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests are about files, and about processes that are killed"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test says enough by panicking, also in the functions that its cases share"
)]

mod reembedding;
