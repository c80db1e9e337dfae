//! Reads case files.

use super::Arguments;
use anyhow::{Context as _, Result};
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// A file of the cases.
///
/// # Errors
/// When no folder was named or the file is missing: a missing set is said, never counted as passed.
pub fn file(arguments: &Arguments, name: &str) -> Result<PathBuf> {
    let folder = arguments
        .cases
        .as_ref()
        .context("name the folder of the cases with --cases")?;
    let file = folder.join(name);
    anyhow::ensure!(file.is_file(), "`{name}` is missing in the folder of the cases");
    Ok(file)
}

/// One value a line.
///
/// # Errors
/// When a line is not what is expected; the message names it.
pub fn lines<T: DeserializeOwned>(arguments: &Arguments, name: &str) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(file(arguments, name)?)?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            serde_json::from_str(line).with_context(|| format!("{name}, line {}", number + 1))
        })
        .collect()
}
