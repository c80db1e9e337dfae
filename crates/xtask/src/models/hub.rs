//! Files from the model hub, continued where an earlier try stopped.
//!
//! Python fetches, because set-up needs it anyway and its standard library speaks HTTPS and knows the
//! system's proxies and certificates; a TLS library would make xtask ten times as large.

use super::{HubPlace, Pinned, finish, python};
use crate::shell;
use anyhow::{Context as _, Result, bail};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Where the hub is unless `HF_ENDPOINT`, the variable of its own tools, says otherwise.
const ENDPOINT: &str = "https://huggingface.co";

/// A connection that breaks this often in a row is not going to hold.
const TRIES_MAX: u32 = 5;

/// Writes the answer's status in a line of its own, then its body.
const FETCH: &str = r#"
import sys, urllib.request
url, offset = sys.argv[1], int(sys.argv[2])
request = urllib.request.Request(url, headers={"User-Agent": "reverie-xtask"})
if offset:
    request.add_header("Range", f"bytes={offset}-")
with urllib.request.urlopen(request, timeout=60) as answer:
    out = sys.stdout.buffer
    out.write(f"{answer.status}\n".encode())
    while part := answer.read(1 << 18):
        out.write(part)
"#;

/// The hub's address.
pub(super) fn endpoint() -> String {
    let chosen = std::env::var("HF_ENDPOINT")
        .ok()
        .filter(|address| !address.is_empty());
    chosen.map_or_else(
        || ENDPOINT.to_owned(),
        |address| address.trim_end_matches('/').to_owned(),
    )
}

/// Fetches the wanted files into `dir`.
pub(super) fn fetch(place: &HubPlace, wanted: &[Pinned<'_>], endpoint: &str, dir: &Path) -> Result<()> {
    for file in wanted {
        let url = format!(
            "{endpoint}/{}/resolve/{}/{}",
            place.repository, place.revision, file.name
        );
        // No process id in this name: the next try, in another process, goes on with it.
        let part = dir.join(format!(".{}.part", file.name));
        shell::say(&format!("{} ({} bytes)", file.name, file.bytes));
        complete(&url, file, &part)?;
        finish(&part, file, dir)?;
    }
    Ok(())
}

/// Tries until the file has its length. Only tries that brought nothing count.
fn complete(url: &str, file: &Pinned<'_>, part: &Path) -> Result<()> {
    let mut failed = 0;
    loop {
        let had = length(part);
        if had == file.bytes {
            return Ok(());
        }
        if had > file.bytes {
            std::fs::remove_file(part)?;
            continue;
        }
        let outcome = download(url, had, file.bytes, part);
        if length(part) > had {
            failed = 0;
            continue;
        }
        failed += 1;
        if failed == TRIES_MAX {
            outcome?;
            bail!("`{url}` ended {failed} times without sending anything");
        }
    }
}

/// One request, appended to what is there.
fn download(url: &str, had: u64, bytes: u64, part: &Path) -> Result<()> {
    let mut child = Command::new(python())
        .args(["-c", FETCH, url, &had.to_string()])
        .env("no_proxy", no_proxy())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("Python could not be started")?;
    let stdout = child.stdout.take().context("Python has no output")?;
    let received = receive(BufReader::new(stdout), had, bytes, part);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        // The last line of a traceback is the sentence that says what happened.
        bail!("`{url}`: {}", complaint.lines().last().unwrap_or("no answer"));
    }
    received
}

fn receive(mut answer: impl std::io::BufRead, had: u64, bytes: u64, part: &Path) -> Result<()> {
    let mut status = String::new();
    answer.by_ref().take(16).read_line(&mut status)?;
    let appending = match status.trim() {
        "206" => true,
        // The whole file from its beginning, also when we asked for the rest.
        "200" => false,
        "" => return Ok(()),
        other => bail!("the hub answered {other}"),
    };
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .write(true)
        .append(appending)
        .truncate(!appending)
        .open(part)
        .with_context(|| format!("could not write `{}`", part.display()))?;
    let mut so_far = if appending { had } else { 0 };
    let mut shown = tenths(so_far, bytes);
    let mut buffer = vec![0; 1 << 18];
    // More than the file can have is not kept: the hash would be wrong anyway.
    while so_far <= bytes {
        let read = answer.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        file.write_all(buffer.get(..read).unwrap_or_default())?;
        so_far += read as u64;
        if tenths(so_far, bytes) > shown {
            shown = tenths(so_far, bytes);
            shell::say(&format!("{}0 %", shown));
        }
    }
    Ok(())
}

fn tenths(so_far: u64, bytes: u64) -> u64 {
    so_far * 10 / bytes.max(1)
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The machine itself is never reached through a proxy.
fn no_proxy() -> String {
    let known = std::env::var("no_proxy")
        .or_else(|_| std::env::var("NO_PROXY"))
        .unwrap_or_default();
    format!("{known},127.0.0.1,localhost")
}
