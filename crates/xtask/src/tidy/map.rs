//! The map in `crates/README.md`, and what a newcomer sees first.

use crate::project::Project;
use anyhow::{Context as _, Result};
use std::collections::BTreeSet;

/// What is visible at the top. Settings of tools live in hidden files.
const TOP: [&str; 10] = [
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "crates",
    "icons",
    "src-tauri",
    "tests",
    "ui",
];

/// A line for each crate that the map leaves out and each surprise at the top.
pub fn check(project: &Project, files: &[String]) -> Result<Vec<String>> {
    let path = project.root.join("crates/README.md");
    let map = std::fs::read_to_string(&path).context("could not read crates/README.md")?;
    let mut found: Vec<String> = project
        .packages
        .iter()
        .filter(|package| package.folder.starts_with(project.root.join("crates")))
        .filter(|package| !map.contains(&format!("`{}`", package.name)))
        .map(|package| format!("crates/README.md does not name `{}`", package.name))
        .collect();
    found.extend(top_level(files));
    Ok(found)
}

/// Compares the visible top level with the agreed one.
pub fn top_level(files: &[String]) -> Vec<String> {
    let there: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.split('/').next())
        .filter(|name| !name.starts_with('.'))
        .collect();
    let agreed = BTreeSet::from(TOP);
    let extra = there
        .difference(&agreed)
        .map(|name| format!("`{name}` is not part of the agreed top level"));
    let missing = agreed
        .difference(&there)
        .map(|name| format!("`{name}` is missing from the top level"));
    extra.chain(missing).collect()
}
