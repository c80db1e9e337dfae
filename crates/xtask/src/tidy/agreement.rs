//! Names that stand in several places and must agree: nodes and their files, codes and their words.

use anyhow::{Context as _, Result};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The types whose every value has words in both locales, and how their keys begin.
const WORDED: [(&str, &str); 5] = [
    ("ErrorCode", "error."),
    ("SkipReason", "skip."),
    ("ReviewReason", "review.reason."),
    ("ProblemCode", "problem."),
    ("Node", "node."),
];

const TYPES: &str = "ui/src/ipc/generated/types.ts";

const LOCALES: [&str; 2] = ["en", "ko"];

/// Files of `nodes/` that hold no node.
const NOT_NODES: [&str; 2] = ["mod", "tests"];

/// A line for each node without a file, and each file without a node.
pub fn node_files(root: &Path) -> Result<Vec<String>> {
    let nodes: BTreeSet<String> = values(&read(root, TYPES)?, "Node")?.into_iter().collect();
    let folder = "crates/turn/src/nodes";
    let entries = std::fs::read_dir(root.join(folder)).with_context(|| format!("could not read {folder}"))?;
    let files: BTreeSet<String> = entries
        .flatten()
        .filter_map(|entry| Some(Path::new(&entry.file_name()).file_stem()?.to_str()?.to_owned()))
        .filter(|stem| !NOT_NODES.contains(&stem.as_str()))
        .collect();
    let without_node = files
        .difference(&nodes)
        .map(|stem| format!("{folder}/{stem}.rs is the file of no node"));
    let without_file = nodes
        .difference(&files)
        .map(|node| format!("node `{node}` has no file in {folder}"));
    Ok(without_node.chain(without_file).collect())
}

/// A line for each key that only one locale has, and each value that has no words.
pub fn locales(root: &Path) -> Result<Vec<String>> {
    let types = read(root, TYPES)?;
    let mut locales = Vec::new();
    for locale in LOCALES {
        let text = read(root, &format!("ui/src/locales/{locale}.json"))?;
        let value: Value =
            serde_json::from_str(&text).with_context(|| format!("{locale}.json is not JSON"))?;
        locales.push((locale, keys(&value)));
    }
    let mut found = same_keys(&locales);
    for (locale, keys) in &locales {
        found.extend(worded(locale, keys, &types)?);
    }
    Ok(found)
}

fn read(root: &Path, file: &str) -> Result<String> {
    std::fs::read_to_string(root.join(file)).with_context(|| format!("could not read {file}"))
}

/// The values of a type like `export type Name = "a" | "b";` in the generated TypeScript.
pub fn values(types: &str, name: &str) -> Result<Vec<String>> {
    let opening = format!("export type {name} = ");
    let line = types.lines().find_map(|line| line.strip_prefix(&opening));
    let line =
        line.with_context(|| format!("the generated types have no `{name}`: run `cargo xtask codegen`"))?;
    Ok(line.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// The keys of a locale, with dots between levels where it has levels.
pub fn keys(locale: &Value) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    collect(locale, String::new(), &mut keys);
    keys
}

fn collect(value: &Value, path: String, keys: &mut BTreeSet<String>) {
    let Some(object) = value.as_object() else {
        keys.insert(path);
        return;
    };
    for (key, value) in object {
        let path = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        collect(value, path, keys);
    }
}

/// A line for each key that one locale has and another has not.
pub fn same_keys(locales: &[(&str, BTreeSet<String>)]) -> Vec<String> {
    let mut found = Vec::new();
    for (locale, keys) in locales {
        for (other, others) in locales.iter().filter(|(other, _)| other != locale) {
            found.extend(
                keys.difference(others)
                    .map(|key| format!("{other}.json lacks `{key}`, which {locale}.json has")),
            );
        }
    }
    found
}

/// A line for each value that has no words. A key may go on after the value (`error.busy.title`).
pub fn worded(locale: &str, keys: &BTreeSet<String>, types: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (name, opening) in WORDED {
        for value in values(types, name)? {
            let key = format!("{opening}{value}");
            let longer = format!("{key}.");
            if !keys.contains(&key) && !keys.iter().any(|known| known.starts_with(&longer)) {
                found.push(format!(
                    "{locale}.json has no words for {name} `{value}` (key `{key}`)"
                ));
            }
        }
    }
    Ok(found)
}
