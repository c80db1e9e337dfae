//! Programs from crates.io that tasks use. They live in the target folder and touch nothing else on the machine.

use crate::project::Project;
use crate::shell;
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};

/// A program and the package that it comes from.
#[derive(Debug)]
pub struct Tool {
    /// The program, which is also the package's name.
    pub name: &'static str,
    /// The version that is installed where there is none.
    pub version: &'static str,
    /// What cargo is told about its features.
    pub features: &'static [&'static str],
    /// Whether one that is already on the PATH will do.
    pub any_version: bool,
}

/// Runs the Rust tests. Without its defaults it cannot update itself, and needs no TLS library.
pub const NEXTEST: Tool = Tool {
    name: "cargo-nextest",
    version: "0.9.143",
    features: &["--no-default-features"],
    any_version: true,
};
/// Hands the window tests' commands to WebKit's driver. Version 3 is for Tauri 3.
pub const TAURI_DRIVER: Tool = Tool {
    name: "tauri-driver",
    version: "2.1.0",
    features: &[],
    any_version: false,
};
/// Reads the licences and sources of everything we depend on.
pub const LICENCES: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
    features: &[],
    any_version: true,
};
/// Finds dependencies that nothing uses.
pub const UNUSED: Tool = Tool {
    name: "cargo-machete",
    version: "0.9.2",
    features: &[],
    any_version: true,
};

/// The tool's place; installs it when it is missing.
pub fn ensure(project: &Project, tool: &Tool) -> Result<PathBuf> {
    if tool.any_version
        && let Some(found) = shell::find(tool.name)
    {
        return Ok(found);
    }
    let root = project.tools();
    let program = root.join("bin").join(shell::file_name(tool.name));
    if program.is_file() && is_recorded(&root, tool) {
        return Ok(program);
    }
    shell::say(&format!(
        "{} {} is built once and kept in the target folder",
        tool.name, tool.version
    ));
    let build = root.join("build");
    let mut install = shell::cargo();
    install
        .args([
            "install",
            tool.name,
            "--locked",
            // A program without cargo's record is what an install that was cut off leaves behind.
            "--force",
            "--version",
            tool.version,
            "--root",
        ])
        .arg(&root);
    install.args(tool.features).arg("--target-dir").arg(&build);
    // These programs mostly wait for others: a quick build matters more than a quick program.
    install.envs([
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
        ("CARGO_PROFILE_RELEASE_LTO", "off"),
        ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
        ("CARGO_PROFILE_RELEASE_DEBUG", "false"),
    ]);
    shell::run(&mut install).with_context(|| format!("could not install {}", tool.name))?;
    Ok(program)
}

/// Throws away what building the tools left behind. Nothing needs it once they are installed.
pub fn discard_leftovers(project: &Project) {
    // A leftover costs disk and nothing else, so that failing to remove it is no failure.
    let _ = std::fs::remove_dir_all(project.tools().join("build"));
}

/// Whether cargo's own record names this version.
fn is_recorded(root: &Path, tool: &Tool) -> bool {
    let record = std::fs::read_to_string(root.join(".crates.toml")).unwrap_or_default();
    record.contains(&format!("\"{} {} ", tool.name, tool.version))
}
