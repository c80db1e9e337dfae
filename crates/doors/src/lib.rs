//! The other ways in. Today: the command line, on the same data folder and the same engine as the window, also
//! while the window is open.
//!
//! Exit codes: 0 done; 1 it did not work, and the message says why; 2 the command was not understood; 3 nothing was
//! found; 4 a turn failed or the item was decided before.

mod arguments;
mod open;
mod print;
mod since;
mod verbs;
mod words;

use arguments::{Arguments, Verb};
use clap::Parser;
use engine::{EngineError, ErrorCode};
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
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return not_understood(&error),
    };
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
            ExitCode::from(if error.code == ErrorCode::NotFound { 3 } else { 1 })
        }
    }
}

/// Help and version are no errors. A program that asked for JSON gets its one value also when it was not understood.
fn not_understood(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default();
        print::json(&serde_json::json!({ "error": EngineError::invalid("arguments", first) }));
    }
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

async fn run(
    verb: Verb,
    data_dir: Option<std::path::PathBuf>,
    json: bool,
    words: Words,
) -> Result<Ended, EngineError> {
    let engine = open::engine(data_dir).await?;
    open::catch_up(&engine).await;
    let ended = verbs::run(&engine, verb, json, words).await;
    engine.close().await;
    ended
}
