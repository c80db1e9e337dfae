//! What no compiler checks: the rooms of the house, its map, names that must agree, and lengths.

mod agreement;
mod files;
mod map;
pub mod migrations;
mod rooms;

use crate::project::Project;
use crate::{setup, shell};
use anyhow::{Result, bail};

/// What `--help` says.
pub const HELP: &str = "
cargo xtask tidy

Checks, in seconds and without building anything:
  rooms       each crate names its room and uses only its own room and rooms above it
  map         crates/README.md names each crate; the visible top level is the agreed one
  agreement   node files match `Node`; both locales have the same keys and cover every code, reason and node
  files       length, machine paths, registry hosts; each crate takes the workspace's lints
  migrations  a recorded migration stays as it is
";

/// The task.
pub fn run(arguments: pico_args::Arguments) -> Result<()> {
    setup::no_more(arguments)?;
    tidy(&Project::load()?)?;
    shell::say("tidy");
    Ok(())
}

/// Runs every check and lists everything that is out of place.
pub fn tidy(project: &Project) -> Result<()> {
    let files = files::listed(&project.root)?;
    let mut found = rooms::check(&project.packages);
    let rest = [
        map::check(project, &files),
        agreement::node_files(&project.root),
        agreement::locales(&project.root),
        files::check(project, &files),
        migrations::check(&project.root),
    ];
    for lines in rest {
        // A file that cannot be read is one more thing to list, so that the others are not hidden behind it.
        found.extend(lines.unwrap_or_else(|error| vec![format!("{error:#}")]));
    }
    if found.is_empty() {
        return Ok(());
    }
    for line in &found {
        shell::say(line);
    }
    bail!("{} things are out of place", found.len())
}

#[cfg(test)]
mod tests;
