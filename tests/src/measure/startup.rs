//! `startup`: from the start of the program to the first painted frame, and the memory it holds then.
//!
//! The window says when its second animation frame has been shown; the shell logs that line. Needs a display: start
//! it with `xvfb-run` where there is none.

use super::{Measured, round, times};
use anyhow::{Context as _, Result, bail};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 6;

/// The line of the shell.
const PAINTED: &str = "first paint";

pub fn measure() -> Result<Measured> {
    let desktop = crate::programs::program("reverie-desktop")?;
    let folder = tempfile::tempdir()?;
    let (mut paints, mut memory, mut alone) = (Vec::new(), 0.0, 0.0);
    for _ in 0..RUNS {
        let began = Instant::now();
        let mut child = Command::new(&desktop)
            .env("REVERIE_DATA_DIR", folder.path())
            .env("REVERIE_LOG", "info")
            .stderr(Stdio::piped())
            .spawn()
            .context("the window could not be started")?;
        let painted = wait_for_paint(&mut child, began);
        if painted.is_ok() {
            // The model is loaded behind the first frame; its memory counts.
            std::thread::sleep(Duration::from_secs(2));
            (memory, alone) = resident(child.id())?;
        }
        child.kill()?;
        child.wait()?;
        paints.push(painted?);
    }
    let cold = paints.remove(0);
    let figures = json!({
        "first_start_ms": round(cold),
        "warm_start": times(paints),
        "pss_all_processes_mb": round(memory),
        "pss_app_mb": round(alone),
    });
    Ok(Measured {
        lines: Vec::new(),
        figures,
    })
}

fn wait_for_paint(child: &mut Child, began: Instant) -> Result<f64> {
    let errors = child.stderr.take().context("the program's output")?;
    let (told, tell) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            if line.contains(PAINTED) && told.send(()).is_err() {
                break;
            }
        }
    });
    match tell.recv_timeout(Duration::from_secs(60)) {
        Ok(()) => Ok(began.elapsed().as_secs_f64() * 1_000.0),
        Err(_) => bail!("the window did not paint within a minute; is there a display?"),
    }
}

/// Proportional set size of a process and all below it, and of the process alone, in MB (Linux).
fn resident(root: u32) -> Result<(f64, f64)> {
    let mut all = vec![root];
    let mut index = 0;
    while index < all.len() {
        let tasks = format!("/proc/{0}/task/{0}/children", all[index]);
        let children = std::fs::read_to_string(tasks).unwrap_or_default();
        all.extend(
            children
                .split_whitespace()
                .filter_map(|id| id.parse::<u32>().ok()),
        );
        index += 1;
    }
    let own = pss(root).context("memory is measured on Linux only")?;
    let sum = all.iter().filter_map(|id| pss(*id)).sum();
    Ok((sum, own))
}

fn pss(id: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let line = text.lines().find(|line| line.starts_with("Pss:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1_024.0)
}
