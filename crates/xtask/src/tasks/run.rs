//! `cargo xtask run`: from a fresh checkout to the open window.

use super::build;
use crate::project::{EVERYTHING, Project};
use crate::setup::{self, Purpose};
use crate::shell;
use anyhow::Result;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::Command;

/// What `--help` says.
pub const HELP: &str = "
cargo xtask run [--release] [-- ARGUMENTS OF THE APP]

Installs what is missing (it says what), builds, and opens the window. Where there is no display it says so
and offers the same turn in the terminal: `reverie chat`.

  --release   the optimised build; takes longer to build
";

/// The task.
pub fn run(mut arguments: pico_args::Arguments) -> Result<()> {
    let release = arguments.contains("--release");
    let passed_on: Vec<OsString> = arguments
        .finish()
        .into_iter()
        .filter(|argument| argument != "--")
        .collect();
    let project = Project::load()?;
    let profile = if release { "release" } else { "debug" };
    if release {
        build::release(&project)?;
    } else {
        shell::section("Set-up");
        setup::prepare(&project, Purpose::Run)?;
        build::user_interface(&project)?;
        shell::section("Build");
        shell::run(shell::cargo().arg("build").args(EVERYTHING))?;
    }
    if has_display() {
        shell::section("Reverie");
        let mut app = Command::new(project.program(profile, "reverie-desktop"));
        return shell::run(app.args(passed_on));
    }
    chat_instead(&project, profile)
}

/// Whether a window can open. Only Linux can tell beforehand.
fn has_display() -> bool {
    let named = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || named("DISPLAY") || named("WAYLAND_DISPLAY")
}

fn chat_instead(project: &Project, profile: &str) -> Result<()> {
    let reverie = project.program(profile, "reverie");
    shell::section("There is no display here");
    shell::say("Neither DISPLAY nor WAYLAND_DISPLAY is set, so the window cannot open.");
    if std::io::stdin().is_terminal() {
        shell::say("Here is the same conversation in the terminal.");
        return shell::run(Command::new(reverie).arg("chat"));
    }
    shell::say("The same conversation runs in a terminal:");
    println!("{} chat", reverie.display());
    Ok(())
}
