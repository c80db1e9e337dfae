//! What crosses between the window and the engine: the commands with their tags, the start-up state, and
//! the generated TypeScript. The values themselves are the words of `memory-model` and the views of `engine`.

mod commands;

pub use commands::*;

#[cfg(test)]
mod tests;
