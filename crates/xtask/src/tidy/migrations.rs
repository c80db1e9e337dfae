//! Migrations that databases out there have taken stay as they are.

use crate::setup::hex;
use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// Where migrations live.
pub const FOLDER: &str = "crates/backend-sqlite/migrations";

/// A line `SHA256  NAME` for each migration, as `sha256sum` writes it.
const RECORD: &str = "crates/xtask/migrations.sha256";

/// A line for each migration that changed, vanished, or is not on record.
pub fn check(root: &Path) -> Result<Vec<String>> {
    Ok(compare(&recorded(root)?, &present(root)?))
}

/// Compares the record with what is there.
pub fn compare(recorded: &BTreeMap<String, String>, present: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, hash) in recorded {
        match present.get(name) {
            None => found.push(format!("migration {name} is gone; databases have taken it")),
            Some(now) if now != hash => {
                found.push(format!(
                    "migration {name} changed; databases have taken it: add a new one instead"
                ));
            }
            Some(_) => {}
        }
    }
    for name in present.keys().filter(|name| !recorded.contains_key(*name)) {
        found.push(format!(
            "migration {name} is not on record: run `cargo xtask migration --record` once it is done"
        ));
    }
    found
}

/// Puts new migrations on record and returns their names.
pub fn record(root: &Path) -> Result<Vec<String>> {
    let mut recorded = recorded(root)?;
    let mut added = Vec::new();
    for (name, hash) in present(root)? {
        recorded.entry(name).or_insert_with_key(|name| {
            added.push(name.clone());
            hash
        });
    }
    let text: String = recorded
        .iter()
        .map(|(name, hash)| format!("{hash}  {name}\n"))
        .collect();
    std::fs::write(root.join(RECORD), text).with_context(|| format!("could not write {RECORD}"))?;
    Ok(added)
}

fn recorded(root: &Path) -> Result<BTreeMap<String, String>> {
    let text = match std::fs::read_to_string(root.join(RECORD)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text.with_context(|| format!("could not read {RECORD}"))?,
    };
    let pair = |line: &str| {
        line.split_once("  ")
            .map(|(hash, name)| (name.to_owned(), hash.to_owned()))
    };
    Ok(text.lines().filter_map(pair).collect())
}

fn present(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let entries = std::fs::read_dir(root.join(FOLDER)).with_context(|| format!("could not read {FOLDER}"))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("could not read {FOLDER}"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".sql") {
            let text =
                std::fs::read_to_string(entry.path()).with_context(|| format!("could not read {name}"))?;
            // A checkout on Windows may end its lines in two characters; the step it takes is the same.
            found.insert(name, hex(&Sha256::digest(text.replace("\r\n", "\n"))));
        }
    }
    Ok(found)
}
