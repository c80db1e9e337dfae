//! Files: their length, what must not stand in them, and the settings that each crate shares.

use crate::project::Project;
use crate::shell;
use anyhow::{Context as _, Result};
use std::path::Path;
use std::process::Command;

/// A file that is longer than this holds two ideas.
const LINES_MAX: usize = 600;

const SOURCES: [&str; 3] = ["rs", "ts", "svelte"];

/// Written by tools; their hosts and lengths are not ours.
const LOCKS: [&str; 2] = ["Cargo.lock", "package-lock.json"];

/// Paths of the root of the workspace, as git knows them: tracked, or new and not ignored.
pub fn listed(root: &Path) -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.args([
        "-c",
        "core.quotepath=off",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let text = shell::capture(git.current_dir(root)).context("tidy reads the list of files from git")?;
    // A file that was deleted and not committed yet is still listed.
    Ok(text
        .lines()
        .filter(|file| root.join(file).is_file())
        .map(str::to_owned)
        .collect())
}

/// A line for each file and crate that is out of place.
pub fn check(project: &Project, files: &[String]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in files {
        let bytes =
            std::fs::read(project.root.join(file)).with_context(|| format!("could not read {file}"))?;
        let Ok(text) = std::str::from_utf8(&bytes) else {
            continue;
        };
        found.extend(too_long(file, text));
        found.extend(out_of_place(file, text));
    }
    for package in &project.packages {
        let manifest = std::fs::read_to_string(package.folder.join("Cargo.toml"))
            .with_context(|| format!("could not read the manifest of `{}`", package.name))?;
        if !manifest.replace(' ', "").contains("[lints]\nworkspace=true") {
            found.push(format!(
                "`{}` does not take the workspace's lints: [lints] workspace = true",
                package.name
            ));
        }
        if package.doctest {
            found.push(format!(
                "`{}` has doc tests on: [lib] doctest = false",
                package.name
            ));
        }
    }
    Ok(found)
}

/// A line when a source file is too long. Generated files are as long as they are.
pub fn too_long(file: &str, text: &str) -> Option<String> {
    let source = SOURCES.contains(&file.rsplit('.').next().unwrap_or_default());
    let lines = text.lines().count();
    let long = source && !file.contains("/generated/") && lines > LINES_MAX;
    long.then(|| format!("{file} has {lines} lines, {LINES_MAX} at most"))
}

/// A line for each mention of somebody's machine or of a registry's address.
pub fn out_of_place(file: &str, text: &str) -> Vec<String> {
    let name = file.rsplit('/').next().unwrap_or(file);
    if LOCKS.contains(&name) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(what) = names_a_machine(line) {
            found.push(format!("{file}:{} names {what}", index + 1));
        }
    }
    found
}

fn names_a_machine(line: &str) -> Option<&'static str> {
    // Put together here, so that this file does not name what it looks for.
    let homes = [["/ho", "me/"], ["/Us", "ers/"], ["/ro", "ot/"]].map(|parts| parts.concat());
    if homes.iter().any(|home| begins_a_path(line, home)) {
        return Some("a folder of somebody's machine");
    }
    let registries = ["index", "static", "registry", "files", "deb", "pypi"];
    let host = |scheme: &str, part: &str| line.contains(&format!("{scheme}://{part}."));
    let named = registries
        .iter()
        .any(|part| host("http", part) || host("https", part));
    named.then_some("the host of a package registry")
}

/// Whether a path begins with these folders. Inside another path or an address they are no machine's.
fn begins_a_path(line: &str, folders: &str) -> bool {
    line.match_indices(folders).any(|(start, _)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        before.is_none_or(|before| !before.is_alphanumeric() && !".}-_~".contains(before))
    })
}
