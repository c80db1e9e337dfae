//! One file a task.

pub mod run;

pub mod test;

pub mod check;

pub mod build;

pub mod codegen;

pub mod migration;

pub mod measure;

mod parts;
