//! Project tasks: `cargo xtask TASK`. The same on every machine, with few dependencies, built in seconds.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tasks touch files, the environment and the terminal; that is all they do"
)]

mod project;
mod shell;

mod models;
mod setup;
mod tasks;
mod tidy;

use anyhow::{Result, bail};
use pico_args::Arguments;
use std::process::ExitCode;

/// A task, with what `--help` says about it.
struct Task {
    name: &'static str,
    summary: &'static str,
    help: &'static str,
    run: fn(Arguments) -> Result<()>,
}

const TASKS: &[Task] = &[
    Task {
        name: "run",
        summary: "set up, build and open the app",
        help: tasks::run::HELP,
        run: tasks::run::run,
    },
    Task {
        name: "test",
        summary: "set up and run every check and test",
        help: tasks::test::HELP,
        run: tasks::test::run,
    },
    Task {
        name: "check",
        summary: "everything but the tests",
        help: tasks::check::HELP,
        run: tasks::check::run,
    },
    Task {
        name: "tidy",
        summary: "rooms, arrows, names, locales, lengths",
        help: tidy::HELP,
        run: tidy::run,
    },
    Task {
        name: "build",
        summary: "the release app and command line",
        help: tasks::build::HELP,
        run: tasks::build::run,
    },
    Task {
        name: "codegen",
        summary: "TypeScript from the Rust types",
        help: tasks::codegen::HELP,
        run: tasks::codegen::run,
    },
    Task {
        name: "migration",
        summary: "a new migration file",
        help: tasks::migration::HELP,
        run: tasks::migration::run,
    },
    Task {
        name: "models",
        summary: "the embedding model, checked, in the cache",
        help: models::HELP,
        run: models::run,
    },
    Task {
        name: "measure",
        summary: "quality and time",
        help: tasks::measure::HELP,
        run: tasks::measure::run,
    },
    Task {
        name: "setup",
        summary: "only install what is missing",
        help: setup::HELP,
        run: setup::run,
    },
];

fn main() -> ExitCode {
    match dispatch() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Result<()> {
    // What follows `--` belongs to the program that the task starts, also when it is `--help`.
    let asked = std::env::args_os()
        .take_while(|argument| argument != "--")
        .any(|argument| argument == "--help" || argument == "-h");
    let mut arguments = Arguments::from_env();
    let Some(name) = arguments.subcommand()? else {
        print!("{}", overview());
        return Ok(());
    };
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        bail!("there is no task `{name}`\n\n{}", overview());
    };
    if asked {
        println!("{}", task.help.trim());
        return Ok(());
    }
    (task.run)(arguments)
}

fn overview() -> String {
    let mut text = String::from("cargo xtask TASK [--help]\n\n");
    for task in TASKS {
        text.push_str(&format!("  {:<10} {}\n", task.name, task.summary));
    }
    text
}

#[cfg(test)]
mod tests;
