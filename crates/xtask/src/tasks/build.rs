//! `cargo xtask build`: the release app and command line.

use crate::project::Project;
use crate::setup::{self, Purpose};
use crate::shell;
use anyhow::{Result, ensure};

/// What `--help` says.
pub const HELP: &str = "
cargo xtask build

Sets up, builds the user interface, then the release programs:
  target/release/reverie-desktop   the app, with the user interface inside
  target/release/reverie           the command line, without any GUI library
(`target` is the folder that cargo uses here; CARGO_TARGET_DIR moves it.)
";

/// The task.
pub fn run(arguments: pico_args::Arguments) -> Result<()> {
    setup::no_more(arguments)?;
    let project = Project::load()?;
    release(&project)?;
    for name in ["reverie-desktop", "reverie"] {
        let program = project.program("release", name);
        ensure!(program.is_file(), "the build left no `{}`", program.display());
        println!("{}", program.display());
    }
    Ok(())
}

/// Everything in release form.
pub fn release(project: &Project) -> Result<()> {
    shell::section("Set-up");
    setup::prepare(project, Purpose::Run)?;
    user_interface(project)?;
    shell::section("Release build");
    shell::run(shell::cargo().args(["build", "--release", "--workspace", "--bins", "--locked"]))
}

/// `ui/dist`, which the app carries inside. It takes about a second, so that it is always made anew.
pub fn user_interface(project: &Project) -> Result<()> {
    setup::node_modules(project)?;
    shell::section("User interface");
    shell::run(shell::npm().args(["run", "build"]).current_dir(project.ui()))
}
