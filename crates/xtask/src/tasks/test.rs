//! `cargo xtask test`: everything that can be checked, on a machine that has none of it.

use super::build;
use super::parts::{self, Report};
use crate::project::{EVERYTHING, Project};
use crate::setup::{self, Purpose};
use crate::{models, shell};
use anyhow::{Context as _, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `--help` says.
pub const HELP: &str = "
cargo xtask test [-- ARGUMENTS OF NEXTEST]

Sets up, then runs everything: the parts of `check`, the tests of the user interface (vitest), and all Rust
tests (nextest), among them the window tests, which drive the real app on a screen in memory (Xvfb) with a
home folder of their own. On macOS and Windows the window tests are left out, and the output says so.

With arguments of nextest, only the Rust tests that they choose run: `cargo xtask test -- -E 'package(turn)'`.
";

/// The nextest binary that drives the real window; WebKit's driver exists on Linux only.
const WITHOUT_WINDOW: [&str; 2] = ["-E", "not (package(journeys) & binary(window))"];

/// The task.
pub fn run(arguments: pico_args::Arguments) -> Result<()> {
    let narrowed: Vec<OsString> = arguments
        .finish()
        .into_iter()
        .filter(|argument| argument != "--")
        .collect();
    let project = Project::load()?;
    let mut report = Report::new();
    if !report.part("Set-up", || setup::prepare(&project, Purpose::Test)) {
        return report.close();
    }
    if !narrowed.is_empty() {
        if report.part("User interface: build", || build::user_interface(&project)) {
            report.noted("Rust tests", || rust_tests(&project, &narrowed));
        }
        return report.close();
    }
    parts::quick(&project, &mut report);
    parts::user_interface_checks(&project, &mut report);
    report.part("User interface: tests", || parts::npm(&project, &["test"]));
    // The app carries the user interface inside and does not compile without it.
    if report.part("User interface: build", || build::user_interface(&project)) {
        report.part("Clippy", parts::clippy);
        report.noted("Rust tests", || rust_tests(&project, &narrowed));
    }
    report.close()
}

fn rust_tests(project: &Project, narrowed: &[OsString]) -> Result<Option<String>> {
    let nextest = setup::ensure_tool(project, &setup::NEXTEST)?;
    let path = shell::path_with(nextest.parent().unwrap_or(&nextest))?;
    // Compiled first and outside the private home: a compiler's complaint needs no screen. `build` also makes
    // the programs that journeys and window tests start, which `nextest` alone would not.
    shell::run(shell::cargo().arg("build").args(EVERYTHING))?;
    let mut command = if cfg!(target_os = "linux") {
        on_a_screen_in_memory()
    } else {
        shell::cargo()
    };
    command
        .args(["nextest", "run"])
        .args(EVERYTHING)
        .args(narrowed)
        .env("PATH", &path);
    command
        .env("REVERIE_MODELS_DIR", models::default_folder()?)
        .env("RUN_SLOW_TESTS", "1");
    if !cfg!(target_os = "linux") {
        shell::run(command.args(WITHOUT_WINDOW))?;
        return Ok(Some("WITHOUT the window tests, which need Linux".to_owned()));
    }
    command.env("REVERIE_LLAMA_SERVER", setup::ensure_llama_server(project)?);
    command.env(
        "REVERIE_TAURI_DRIVER",
        setup::ensure_tool(project, &setup::TAURI_DRIVER)?,
    );
    setup::discard_leftovers(project);
    let Some(webkit) = shell::find("WebKitWebDriver") else {
        bail!("WebKitWebDriver is not on the PATH although its package is installed");
    };
    command.env("REVERIE_WEBKIT_DRIVER", webkit);
    let home = PrivateHome::new()?;
    home.apply(&mut command)?;
    shell::run(&mut command)?;
    Ok(None)
}

/// A screen and a message bus that nobody else uses: no window pops up, and no running app is disturbed.
fn on_a_screen_in_memory() -> Command {
    let mut command = Command::new("xvfb-run");
    command.args(["-a", "-s", "-screen 0 1280x800x24", "dbus-run-session", "--"]);
    command.arg(shell::cargo().get_program());
    command
        .env("GDK_BACKEND", "x11")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("DBUS_SESSION_BUS_ADDRESS");
    command
}

/// A home folder for one run, so that no test can touch what the developer keeps in the app. Removed at the end.
struct PrivateHome(PathBuf);

impl PrivateHome {
    fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("reverie-test-{}", std::process::id()));
        let home = Self(folder);
        std::fs::create_dir_all(home.runtime())
            .with_context(|| format!("could not make `{}`", home.0.display()))?;
        make_private(&home.0)?;
        make_private(&home.runtime())?;
        Ok(home)
    }

    fn runtime(&self) -> PathBuf {
        self.0.join("runtime")
    }

    fn apply(&self, command: &mut Command) -> Result<()> {
        // Cargo and rustup keep their own places; only what the tests start sees the private home.
        let old_home = std::env::var_os("HOME").context("HOME is not set")?;
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let place = std::env::var_os(name).unwrap_or_else(|| Path::new(&old_home).join(folder).into());
            command.env(name, place);
        }
        command
            .env("HOME", &self.0)
            .env("XDG_RUNTIME_DIR", self.runtime());
        for name in [
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "XDG_STATE_HOME",
            "REVERIE_DATA_DIR",
        ] {
            command.env_remove(name);
        }
        Ok(())
    }
}

impl Drop for PrivateHome {
    fn drop(&mut self) {
        // A leftover in the temporary folder harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
fn make_private(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
        .with_context(|| format!("could not close `{}` to others", folder.display()))
}

#[cfg(not(unix))]
fn make_private(_folder: &Path) -> Result<()> {
    Ok(())
}
