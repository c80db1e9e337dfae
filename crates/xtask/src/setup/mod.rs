//! Installs what is missing, after saying what. A second run finds everything in place and needs no network.

mod llama_server;
mod system;
mod tools;

pub use llama_server::ensure as ensure_llama_server;
pub use tools::{LICENCES, NEXTEST, TAURI_DRIVER, UNUSED, discard_leftovers, ensure as ensure_tool};

use crate::project::Project;
use crate::{models, shell};
use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::process::Command;

/// What `--help` says.
pub const HELP: &str = "
cargo xtask setup

Installs what is missing and stops there: system packages (through apt on Debian and Ubuntu; other systems
are told what to install), the packages of the user interface (`npm ci`), the embedding model, and the
programs that tests need. `run` and `test` do the same first.
";

/// What the machine is prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Building and running the app.
    Run,
    /// The same, and every test.
    Test,
}

/// The oldest Node that the front end's tools run on.
const NODE_MIN: u32 = 20;

/// The task.
pub fn run(arguments: pico_args::Arguments) -> Result<()> {
    no_more(arguments)?;
    let project = Project::load()?;
    shell::section("Set-up");
    prepare(&project, Purpose::Test)?;
    for tool in [&NEXTEST, &TAURI_DRIVER, &LICENCES, &UNUSED] {
        ensure_tool(&project, tool)?;
    }
    if cfg!(target_os = "linux") {
        ensure_llama_server(&project)?;
    }
    shell::section("Everything is in place");
    Ok(())
}

/// Everything that `run` and `test` share.
pub fn prepare(project: &Project, purpose: Purpose) -> Result<()> {
    check_versions()?;
    system::ensure(purpose)?;
    node_modules(project)?;
    models::ensure(&models::default_folder()?)
}

/// Fails when a task is given more than it knows.
pub fn no_more(arguments: pico_args::Arguments) -> Result<()> {
    let rest = arguments.finish();
    if !rest.is_empty() {
        bail!("this task does not know {rest:?}; see --help");
    }
    Ok(())
}

/// `npm ci`, when the installed packages are not those of the lock file.
pub fn node_modules(project: &Project) -> Result<()> {
    let ui = project.ui();
    let lock = std::fs::read(ui.join("package-lock.json")).context("could not read ui/package-lock.json")?;
    let wanted = hex(&Sha256::digest(&lock));
    // npm empties the folder before it installs, so the stamp cannot outlive what it vouches for.
    let stamp = ui.join("node_modules/.reverie-lock");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    shell::say("the packages of the user interface are missing or old");
    shell::run(
        shell::npm()
            .args(["ci", "--no-audit", "--no-fund"])
            .current_dir(&ui),
    )?;
    std::fs::write(&stamp, wanted).with_context(|| format!("could not write `{}`", stamp.display()))
}

/// Bytes as lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn check_versions() -> Result<()> {
    let node = version(Path::new("node")).context(
        "Node is missing. Install Node 20 or newer from your system or from nodejs.org, and start this again",
    )?;
    if node < NODE_MIN {
        bail!(
            "Node {node} is too old: version {NODE_MIN} or newer is needed. Install it and start this again"
        );
    }
    let python = if cfg!(windows) { "python" } else { "python3" };
    version(Path::new(python)).context("Python 3 is missing. Install it (with pip) and start this again")?;
    Ok(())
}

/// The major version that a program states with `--version`.
fn version(program: &Path) -> Result<u32> {
    let text = shell::capture(Command::new(program).arg("--version"))?;
    major(&text).with_context(|| format!("`{}` does not say its version", program.display()))
}

/// The first number in a text: 20 in `v20.20.2`, 3 in `Python 3.11.7`.
pub fn major(text: &str) -> Option<u32> {
    text.split(|character: char| !character.is_ascii_digit())
        .find(|part| !part.is_empty())?
        .parse()
        .ok()
}
