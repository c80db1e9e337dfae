//! `cargo xtask check`: everything but the tests.

use super::parts::{self, Report};
use super::{build, codegen};
use crate::project::Project;
use crate::setup::{self, Purpose};
use crate::shell;
use anyhow::Result;

/// What `--help` says.
pub const HELP: &str = "
cargo xtask check

Sets up, then checks what needs no test: format, tidy, licences and use of dependencies, style and types of
the user interface, clippy, and whether the generated TypeScript is fresh. `test` does all of this too.
";

/// The task.
pub fn run(arguments: pico_args::Arguments) -> Result<()> {
    setup::no_more(arguments)?;
    let project = Project::load()?;
    shell::section("Set-up");
    setup::prepare(&project, Purpose::Test)?;
    let mut report = Report::new();
    parts::quick(&project, &mut report);
    parts::user_interface_checks(&project, &mut report);
    // The app carries the user interface inside and does not compile without it.
    if report.part("User interface: build", || build::user_interface(&project)) {
        report.part("Clippy", parts::clippy);
        report.part("Generated files", || codegen::generated_types(&project, false));
    }
    report.close()
}
