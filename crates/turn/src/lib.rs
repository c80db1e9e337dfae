//! One turn of conversation, from the message to the memories it leaves behind (spec turn).
//!
//! `flow` is the pipeline on one screen, `graph` lists its nodes and edges, and each node is a file of its name
//! under `nodes`.

pub mod flow;
pub mod graph;
pub mod nodes;
mod ports;
mod trailing;

pub use flow::{Stop, run};
pub use ports::{OnRetrievalError, TurnObserver, TurnPorts, TurnSettings};
pub use trailing::{after_validation, hand_out};

#[cfg(test)]
mod tests;
