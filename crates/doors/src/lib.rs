//! The other ways in. Today: the command line, on the same data folder and the same engine as the window, also
//! while the window is open.
//!
//! Exit codes: 0 done; 1 it did not work, and the message says why; 2 the command was not understood; 3 nothing was
//! found; 4 a turn failed or the item was decided before.

mod arguments;
mod open;
mod print;
mod verbs;
mod words;

use arguments::{Arguments, Verb};
use clap::Parser;
use engine::EngineError;
use std::process::ExitCode;
use words::Words;

/// How a verb ended.
pub(crate) enum Ended {
    /// It did what was asked.
    Done,
    /// Nothing was found.
    NothingFound,
    /// The turn failed or the item was decided before; what there is to say was printed.
    Refused,
}

/// Reads the arguments and runs the verb.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    open::logs();
    let words = Words::from_environment();
    let Some(verb) = arguments.verb else {
        return open::window(words);
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            print::error_line(&error.to_string());
            return ExitCode::from(1);
        }
    };
    let json = arguments.json;
    match runtime.block_on(run(verb, arguments.data_dir, json, words)) {
        Ok(Ended::Done) => ExitCode::SUCCESS,
        Ok(Ended::NothingFound) => ExitCode::from(3),
        Ok(Ended::Refused) => ExitCode::from(4),
        Err(error) => {
            print::failure(&error, json, words);
            ExitCode::from(1)
        }
    }
}

async fn run(
    verb: Verb,
    data_dir: Option<std::path::PathBuf>,
    json: bool,
    words: Words,
) -> Result<Ended, EngineError> {
    let engine = open::engine(data_dir).await?;
    engine.catch_up().await?;
    let ended = verbs::run(&engine, verb, json, words).await;
    engine.close().await;
    ended
}
