//! Other programs that ours is compared with. They are Python packages, installed by name and version into an
//! environment of the target folder's own, and answer line by line, so that ours and theirs take turns in one run.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A Python interpreter that has these packages (`name==version`), installed where they are missing.
///
/// # Errors
/// When there is no Python 3 or a package cannot be installed.
pub fn python(packages: &[&str]) -> Result<PathBuf> {
    let target = crate::programs::folder()?;
    let environment = target.parent().context("the target folder")?.join("peers");
    let scripts = if cfg!(windows) { "Scripts" } else { "bin" };
    let python = environment.join(scripts).join("python3");
    if !python.is_file() {
        let made = Command::new("python3")
            .args(["-m", "venv"])
            .arg(&environment)
            .status()
            .context("could not start python3")?;
        ensure!(
            made.success(),
            "python3 could not make an environment for the peers"
        );
    }
    let installed = Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(packages)
        // Standard output is for the figures.
        .stdout(Stdio::null())
        .status()
        .context("could not start pip")?;
    ensure!(
        installed.success(),
        "{} could not be installed",
        packages.join(", ")
    );
    Ok(python)
}

/// A peer that runs and waits for questions.
pub struct Peer {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts a script with its arguments. Its first line says that it is ready.
    ///
    /// # Errors
    /// When it cannot be started or ends before it is ready.
    pub fn start(python: &Path, script: &str, arguments: &[String]) -> Result<Self> {
        let mut child = Command::new(python)
            .args(["-c", script])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("could not start a peer")?;
        let questions = child.stdin.take().context("the peer's input")?;
        let answers = BufReader::new(child.stdout.take().context("the peer's output")?);
        let mut peer = Self {
            child,
            questions,
            answers,
        };
        peer.answer().context("a peer did not get ready")?;
        Ok(peer)
    }

    /// Asks one line, and waits for one line of JSON.
    ///
    /// # Errors
    /// When the peer has ended or answers something else.
    pub fn ask(&mut self, question: &str) -> Result<Value> {
        writeln!(self.questions, "{question}")?;
        self.questions.flush()?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "the peer has ended");
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
