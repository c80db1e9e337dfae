//! `cargo xtask codegen`: the TypeScript types from the Rust types.

use super::build;
use crate::project::{EVERYTHING, Project};
use crate::{setup, shell};
use anyhow::Result;

/// What `--help` says.
pub const HELP: &str = "
cargo xtask codegen

Writes ui/src/ipc/generated/ from the types of `ipc-contract`. A test fails when the files are stale.
";

/// The task.
pub fn run(arguments: pico_args::Arguments) -> Result<()> {
    setup::no_more(arguments)?;
    let project = Project::load()?;
    generated_types(&project, true)
}

/// Compares the generated files with the Rust types, or renews them.
pub fn generated_types(project: &Project, renew: bool) -> Result<()> {
    if !project.ui().join("dist/index.html").is_file() {
        // The app is part of the one selection and does not compile without what it carries.
        build::user_interface(project)?;
    }
    let nextest = setup::ensure_tool(project, &setup::NEXTEST)?;
    let mut command = shell::cargo();
    command.env("PATH", shell::path_with(nextest.parent().unwrap_or(&nextest))?);
    command.args(["nextest", "run"]).args(EVERYTHING);
    command.args([
        "-E",
        "package(ipc-contract) & test(generated_typescript_is_fresh)",
    ]);
    if renew {
        command.env("REVERIE_UPDATE_GENERATED", "1");
    }
    shell::run(&mut command)
}
