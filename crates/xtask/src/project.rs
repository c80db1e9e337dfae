//! What cargo knows about this workspace: its root, its target folder and its packages.

use crate::shell;
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The one package selection. Another selection unites other features and builds the same crates a second time.
pub const EVERYTHING: [&str; 3] = ["--workspace", "--all-targets", "--locked"];

/// The workspace.
#[derive(Debug)]
pub struct Project {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Where cargo puts what it builds.
    pub target: PathBuf,
    /// The members.
    pub packages: Vec<Package>,
}

/// A member of the workspace.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The room it lives in, as its manifest says.
    pub room: Option<String>,
    /// The members it uses.
    pub uses: Vec<Dependency>,
    /// Whether it has a library whose doc tests are on.
    pub doctest: bool,
}

/// A dependency between members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The member that is used.
    pub name: String,
    /// Whether only tests use it.
    pub only_tests: bool,
}

impl Project {
    /// Asks cargo.
    ///
    /// # Errors
    /// When a manifest cannot be read or the lock file is stale.
    pub fn load() -> Result<Self> {
        let mut command = shell::cargo();
        command.args(["metadata", "--no-deps", "--locked", "--format-version", "1"]);
        let text = shell::capture(&mut command).context("could not read the workspace")?;
        let facts: Value =
            serde_json::from_str(&text).context("cargo's description of the workspace is not JSON")?;
        Self::from_metadata(&facts)
    }

    /// Reads what `cargo metadata` prints.
    pub fn from_metadata(facts: &Value) -> Result<Self> {
        let packages = facts["packages"].as_array().context("cargo named no packages")?;
        let names: Vec<&str> = packages
            .iter()
            .filter_map(|package| package["name"].as_str())
            .collect();
        Ok(Self {
            root: folder(&facts["workspace_root"])?,
            target: folder(&facts["target_directory"])?,
            packages: packages
                .iter()
                .map(|package| read_package(package, &names))
                .collect::<Result<_>>()?,
        })
    }

    /// The user interface.
    pub fn ui(&self) -> PathBuf {
        self.root.join("ui")
    }

    /// Where set-up puts the programs it installs.
    pub fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// A program that cargo built, in the folder of its profile (`debug`, `release`).
    pub fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(shell::file_name(name))
    }
}

fn folder(value: &Value) -> Result<PathBuf> {
    value.as_str().map(PathBuf::from).context("cargo named no folder")
}

fn read_package(package: &Value, members: &[&str]) -> Result<Package> {
    let manifest = folder(&package["manifest_path"])?;
    let targets = package["targets"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let dependencies = package["dependencies"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    Ok(Package {
        name: package["name"]
            .as_str()
            .context("a package without a name")?
            .to_owned(),
        folder: manifest.parent().unwrap_or(Path::new("")).to_path_buf(),
        room: package["metadata"]["layer"].as_str().map(str::to_owned),
        uses: dependencies
            .iter()
            .filter_map(|dependency| read_dependency(dependency, members))
            .collect(),
        doctest: targets
            .iter()
            .any(|target| is_library(target) && target["doctest"] == Value::Bool(true)),
    })
}

fn read_dependency(dependency: &Value, members: &[&str]) -> Option<Dependency> {
    let name = dependency["name"]
        .as_str()
        .filter(|name| members.contains(name))?;
    Some(Dependency {
        name: name.to_owned(),
        only_tests: dependency["kind"] == "dev",
    })
}

fn is_library(target: &Value) -> bool {
    target["kind"]
        .as_array()
        .is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib"))
}
