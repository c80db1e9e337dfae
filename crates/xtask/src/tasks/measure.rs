//! `cargo xtask measure`: builds the optimised programs and hands over to `reverie-measure`.

use super::build;
use crate::project::Project;
use anyhow::{Context as _, Result, bail};
use std::process::{Command, exit};

/// What `--help` says.
pub const HELP: &str = "
cargo xtask measure NAME [--cases DIR] [--out DIR] [--json]

Measures quality or time in the release build, through the same functions that the app calls.

  --cases DIR   where the cases of NAME are; `embedding`, `turn` and `startup` need none
  --size N      `index`: only with N vectors
  --model NAME  `retrieval`: with that embedding model
  --out DIR     write NAME.jsonl there, one line a case
  --json        print one JSON object instead of a table

All arguments go to the program `reverie-measure`, which names what it can measure.
";

/// The task.
pub fn run(arguments: pico_args::Arguments) -> Result<()> {
    let passed_on = arguments.finish();
    if passed_on.is_empty() {
        bail!("measure what?\n{HELP}");
    }
    let project = Project::load()?;
    build::release(&project)?;
    let program = project.program("release", "reverie-measure");
    let mut measure = Command::new(&program);
    if passed_on.first().is_some_and(|name| name == "embedding") {
        // Compared on one thread; the pool of a library asks this variable when it starts.
        measure.env("RAYON_NUM_THREADS", "1");
    }
    // Run directly, so that nothing but the result reaches standard output.
    let status = measure
        .args(passed_on)
        .status()
        .with_context(|| format!("could not start `{}`", program.display()))?;
    if !status.success() {
        exit(status.code().unwrap_or(1));
    }
    Ok(())
}
