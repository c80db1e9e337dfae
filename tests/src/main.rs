//! `reverie-measure`: what `cargo xtask measure` runs.

#![expect(clippy::print_stderr, reason = "a command line program")]

use std::process::ExitCode;

fn main() -> ExitCode {
    match journeys::measure::main() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(1)
        }
    }
}
