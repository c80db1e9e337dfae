//! System packages: installed through apt where there is apt, named everywhere else.

use super::Purpose;
use crate::shell;
use anyhow::{Result, bail};
use std::io::IsTerminal as _;
use std::process::Command;

/// What building and running needs: a C compiler and linker, WebKitGTK for the window, SVG icons, and a font
/// with Hangul for the parts of the window that use the system's fonts.
const FOR_RUNNING: [&str; 5] = [
    "build-essential",
    "pkg-config",
    "libwebkit2gtk-4.1-dev",
    "librsvg2-dev",
    "fonts-noto-cjk",
];

/// What tests need besides: WebKit's driver, a screen in memory, a message bus of their own, and git for `tidy`.
const FOR_TESTS: [&str; 5] = ["webkit2gtk-driver", "xvfb", "xauth", "dbus", "git"];

/// Installs the system packages that are missing, or says what to install.
pub fn ensure(purpose: Purpose) -> Result<()> {
    if cfg!(target_os = "macos") {
        return on_macos();
    }
    if cfg!(windows) {
        shell::say("Windows needs the C++ build tools of Visual Studio and WebView2 (part of Windows 11).");
        return Ok(());
    }
    if shell::find("apt-get").is_none() || shell::find("dpkg-query").is_none() {
        return on_other_linux(purpose);
    }
    let mut missing = missing(purpose);
    if !has_pip() {
        // Debian's Python comes without it; the embedding model is fetched with it.
        missing.push("python3-pip");
    }
    if missing.is_empty() {
        Ok(())
    } else {
        install(&missing)
    }
}

/// The names of all packages for a purpose.
pub fn wanted(purpose: Purpose) -> Vec<&'static str> {
    let tests: &[&str] = if purpose == Purpose::Test { &FOR_TESTS } else { &[] };
    FOR_RUNNING.iter().chain(tests).copied().collect()
}

fn missing(purpose: Purpose) -> Vec<&'static str> {
    let wanted = wanted(purpose);
    // dpkg-query fails when it knows one of the names not at all, and still prints the others.
    let found = Command::new("dpkg-query")
        .args(["--show", "--showformat", "${Package} ${db:Status-Status}\n"])
        .args(&wanted)
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    not_installed(&wanted, &found)
}

/// The wanted packages that dpkg-query does not call installed.
pub fn not_installed<'a>(wanted: &[&'a str], found: &str) -> Vec<&'a str> {
    let installed = |name: &str| found.lines().any(|line| line == format!("{name} installed"));
    wanted.iter().copied().filter(|name| !installed(name)).collect()
}

fn has_pip() -> bool {
    Command::new("python3")
        .args(["-c", "import pip"])
        .output()
        .is_ok_and(|output| output.status.success())
}

fn install(missing: &[&str]) -> Result<()> {
    shell::say(&format!(
        "these system packages are missing and will be installed: {}",
        missing.join(" ")
    ));
    // An unreachable source among several is no reason to stop: the installation says what it could not find.
    if let Err(error) = shell::run(apt_get()?.arg("update")) {
        shell::say(&format!("{error:#}; going on with the package lists at hand"));
    }
    shell::run(
        apt_get()?
            .args(["install", "--yes", "--no-install-recommends"])
            .args(missing),
    )
}

fn apt_get() -> Result<Command> {
    let uid = shell::capture(Command::new("id").arg("-u"))?;
    let mut command = if uid.trim() == "0" {
        Command::new("env")
    } else if shell::find("sudo").is_some() {
        let mut sudo = Command::new("sudo");
        if !std::io::stdin().is_terminal() {
            // Nobody is there to type a password: fail with sudo's words instead of waiting for one.
            sudo.arg("--non-interactive");
        }
        sudo.arg("env");
        sudo
    } else {
        bail!("installing them takes root, and there is no sudo: install them as root and start this again");
    };
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]);
    // A fresh machine often updates itself just then, and holds the lock for minutes.
    command.args(["-o", "DPkg::Lock::Timeout=600"]);
    command.stdout(std::io::stderr());
    Ok(command)
}

fn on_macos() -> Result<()> {
    if Command::new("xcode-select")
        .arg("-p")
        .output()
        .is_ok_and(|output| output.status.success())
    {
        return Ok(());
    }
    bail!("the command line tools of Xcode are missing: run `xcode-select --install` and start this again")
}

fn on_other_linux(purpose: Purpose) -> Result<()> {
    let mut lacking = Vec::new();
    for library in ["webkit2gtk-4.1", "librsvg-2.0"] {
        let there = Command::new("pkg-config")
            .args(["--exists", library])
            .status()
            .is_ok_and(|status| status.success());
        if !there {
            lacking.push(library);
        }
    }
    if purpose == Purpose::Test {
        lacking.extend(
            ["WebKitWebDriver", "xvfb-run", "dbus-run-session"]
                .iter()
                .filter(|p| shell::find(p).is_none()),
        );
    }
    if lacking.is_empty() {
        return Ok(());
    }
    bail!(
        "this system has no apt, and these are missing: {}. Install them (libraries with their development \
         files) with the system's own package manager and start this again. On Debian the packages are: {}",
        lacking.join(", "),
        wanted(purpose).join(" ")
    )
}
