//! The parts of `check` and `test`, and the report on them. One failed part does not hide the others.

use crate::project::{EVERYTHING, Project};
use crate::{setup, shell, tidy};
use anyhow::{Context as _, Result, bail};
use std::process::Command;
use std::time::{Duration, Instant};

/// What became of each part.
#[derive(Debug)]
pub struct Report {
    begun: Instant,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    part: &'static str,
    outcome: Result<Option<String>, String>,
    took: Duration,
}

impl Report {
    /// An empty report; the time of the whole runs from here.
    pub fn new() -> Self {
        Self {
            begun: Instant::now(),
            lines: Vec::new(),
        }
    }

    /// Does one part. Returns whether it is fine.
    pub fn part(&mut self, part: &'static str, work: impl FnOnce() -> Result<()>) -> bool {
        self.noted(part, || work().map(|()| None))
    }

    /// Does one part that may have something to say although it is fine.
    pub fn noted(&mut self, part: &'static str, work: impl FnOnce() -> Result<Option<String>>) -> bool {
        shell::section(part);
        let begun = Instant::now();
        let outcome = work().map_err(|error| format!("{error:#}"));
        if let Err(error) = &outcome {
            shell::say(&format!("FAILED: {error}"));
        }
        let fine = outcome.is_ok();
        self.lines.push(Line {
            part,
            outcome,
            took: begun.elapsed(),
        });
        fine
    }

    /// Prints a line for each part, and fails when one failed.
    pub fn close(self) -> Result<()> {
        shell::section("Summary");
        for line in &self.lines {
            let word = if line.outcome.is_ok() { "fine  " } else { "FAILED" };
            let note = match &line.outcome {
                Ok(None) => String::new(),
                Ok(Some(note)) => format!(": {note}"),
                Err(error) => format!(": {}", error.lines().next().unwrap_or_default()),
            };
            println!("    {word} {} ({} s){note}", line.part, line.took.as_secs());
        }
        let failed = self.lines.iter().filter(|line| line.outcome.is_err()).count();
        let seconds = self.begun.elapsed().as_secs();
        if failed > 0 {
            bail!("{failed} of {} parts failed, after {seconds} s", self.lines.len());
        }
        println!("All {} parts are fine, after {seconds} s.", self.lines.len());
        Ok(())
    }
}

/// What takes seconds: format, tidy, licences, unused dependencies.
pub fn quick(project: &Project, report: &mut Report) {
    report.part("Format", || {
        shell::run(shell::cargo().args(["fmt", "--all", "--check", "--", "-l"]))
            .context("run `cargo fmt --all`")
    });
    report.part("Tidy", || tidy::tidy(project));
    report.part("Dependencies: licences and sources", || licences(project));
    report.noted("Dependencies: known weaknesses", || weaknesses(project));
    report.part("Dependencies: all in use", || {
        let tool = setup::ensure_tool(project, &setup::UNUSED)?;
        shell::run(Command::new(tool).current_dir(&project.root))
    });
    setup::discard_leftovers(project);
}

/// Style and types of the user interface.
pub fn user_interface_checks(project: &Project, report: &mut Report) {
    report.part("User interface: style", || npm(project, &["run", "lint"]));
    report.part("User interface: types", || npm(project, &["run", "check"]));
}

/// Runs an npm script of the user interface.
pub fn npm(project: &Project, arguments: &[&str]) -> Result<()> {
    shell::run(shell::npm().args(arguments).current_dir(project.ui()))
}

/// Clippy over everything, warnings as errors.
pub fn clippy() -> Result<()> {
    shell::run(
        shell::cargo()
            .arg("clippy")
            .args(EVERYTHING)
            .args(["--", "-D", "warnings"]),
    )
}

fn licences(project: &Project) -> Result<()> {
    let mut check = deny(project)?;
    shell::run(check.args(["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]))
}

/// The list of known weaknesses is a git repository. Where it cannot be reached, the report says so.
fn weaknesses(project: &Project) -> Result<Option<String>> {
    if let Err(error) = shell::capture(deny(project)?.args(["fetch", "db"])) {
        let first = format!("{error:#}");
        shell::say(first.lines().next().unwrap_or_default());
        return Ok(Some(
            "NOT CHECKED, the database of weaknesses cannot be reached from here".to_owned(),
        ));
    }
    shell::run(deny(project)?.args(["check", "--disable-fetch", "advisories"]))?;
    Ok(None)
}

fn deny(project: &Project) -> Result<Command> {
    let mut command = Command::new(setup::ensure_tool(project, &setup::LICENCES)?);
    command
        .args(["--config", ".config/deny.toml", "--locked", "--workspace"])
        .current_dir(&project.root);
    Ok(command)
}
