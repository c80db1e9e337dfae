//! The built programs, as tests and measurements start them.

use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the built programs: tests lie one folder below it.
///
/// # Errors
/// When the running program cannot be found.
pub fn folder() -> Result<PathBuf> {
    let own = std::env::current_exe().context("the running program")?;
    let folder = own.parent().context("a folder")?;
    let folder = if folder.ends_with("deps") {
        folder.parent().context("a folder")?
    } else {
        folder
    };
    Ok(folder.to_path_buf())
}

/// A built program.
///
/// # Errors
/// When it is not built; the message says how to build it.
pub fn program(name: &str) -> Result<PathBuf> {
    let program = folder()?.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    anyhow::ensure!(
        program.is_file(),
        "`{}` is not built: run `cargo xtask test`",
        program.display()
    );
    Ok(program)
}

/// The command line on a data folder of its own, in English.
///
/// # Errors
/// When it is not built.
pub fn reverie(data_dir: &Path) -> Result<Command> {
    let mut command = Command::new(program("reverie")?);
    command
        .env("REVERIE_DATA_DIR", data_dir)
        .env("LC_ALL", "C.UTF-8")
        .env_remove("REVERIE_FAULT");
    Ok(command)
}

/// Where screenshots go.
///
/// # Errors
/// When the folder cannot be made.
pub fn screens() -> Result<PathBuf> {
    let folder = folder()?.parent().context("the target folder")?.join("screens");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}
