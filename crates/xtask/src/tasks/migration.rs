//! `cargo xtask migration NAME`: a new step of the database, and the record that keeps old steps as they are.

use crate::project::Project;
use crate::{setup, shell, tidy};
use anyhow::{Context as _, Result, bail};
use std::time::{SystemTime, UNIX_EPOCH};

/// What `--help` says.
pub const HELP: &str = "
cargo xtask migration NAME
cargo xtask migration --record

Makes crates/backend-sqlite/migrations/TIMESTAMP_NAME.sql (NAME in snake_case). Once it is written,
`--record` puts the checksum of each new migration on the list that `tidy` compares: from then on it stays
as it is, because databases out there have already taken that step.
";

/// The task.
pub fn run(mut arguments: pico_args::Arguments) -> Result<()> {
    let record = arguments.contains("--record");
    let name: Option<String> = arguments.opt_free_from_str()?;
    setup::no_more(arguments)?;
    let project = Project::load()?;
    match name {
        _ if record => record_new(&project),
        Some(name) => make(&project, &name),
        None => bail!("which name?\n{HELP}"),
    }
}

fn make(project: &Project, name: &str) -> Result<()> {
    let allowed =
        |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_';
    if name.is_empty() || !name.chars().all(allowed) {
        bail!("`{name}` is not a name in snake_case");
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .context("the clock is before 1970")?;
    let folder = project.root.join(tidy::migrations::FOLDER);
    std::fs::create_dir_all(&folder).with_context(|| format!("could not make `{}`", folder.display()))?;
    let file = folder.join(format!("{}_{name}.sql", timestamp(now.as_secs())));
    std::fs::write(
        &file,
        format!("-- {}: why this step is taken.\n", name.replace('_', " ")),
    )
    .with_context(|| format!("could not write `{}`", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

fn record_new(project: &Project) -> Result<()> {
    let added = tidy::migrations::record(&project.root)?;
    shell::say(&if added.is_empty() {
        "nothing new".to_owned()
    } else {
        format!("recorded {}", added.join(", "))
    });
    Ok(())
}

/// Seconds since 1970 as YYYYMMDDHHMMSS in UTC.
pub fn timestamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years counted from the first of March, so that the leap day is the last day of a year
    // (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}{month:02}{day:02}{:02}{:02}{:02}",
        rest / 3_600,
        rest / 60 % 60,
        rest % 60
    )
}
