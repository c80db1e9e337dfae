//! Where a model may lie on this machine.

use crate::files;
use crate::local::LocalModel;
use std::path::{Path, PathBuf};

/// Names another folder that holds model folders.
const MODELS_DIR_VARIABLE: &str = "REVERIE_MODELS_DIR";

/// The folder with the files of all-MiniLM-L6-v2, or `None` when there is none.
///
/// The first folder of [`models_folders`] that looks whole wins, so that a broken download in the data
/// folder does not hide a good copy beside the program. Where none is whole, the first one that exists
/// comes back, because loading it says what is wrong with it.
pub fn find_model_dir(data_dir: &Path, exe_dir: &Path) -> Option<PathBuf> {
    find_in(models_folders(data_dir, exe_dir), &LocalModel::ALL_MINILM_L6_V2)
}

/// Every folder in which model folders are looked for, in this order: `REVERIE_MODELS_DIR`, the data folder,
/// beside the program and where packages put shared files, and the cache that `cargo xtask models` fills.
pub fn models_folders(data_dir: &Path, exe_dir: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    folders.extend(variable(MODELS_DIR_VARIABLE));
    folders.push(data_dir.join("models"));
    folders.push(exe_dir.join("models"));
    if let Some(prefix) = exe_dir.parent() {
        folders.push(prefix.join("share").join("reverie").join("models"));
        // Where Tauri's packages put resources on Linux and on macOS.
        folders.push(prefix.join("lib").join("reverie").join("models"));
        folders.push(prefix.join("Resources").join("models"));
    }
    folders.extend(user_cache().map(|cache| cache.join("reverie").join("models")));
    folders
}

pub(crate) fn find_in(folders: Vec<PathBuf>, model: &LocalModel) -> Option<PathBuf> {
    let files = model.files();
    let candidates: Vec<PathBuf> = folders
        .into_iter()
        .map(|folder| folder.join(model.profile.folder))
        .filter(|dir| dir.is_dir())
        .collect();
    candidates
        .iter()
        .find(|dir| files::look_whole(dir, &files))
        .or(candidates.first())
        .cloned()
}

/// The user's cache folder. `cargo xtask models` knows the same rule (`crates/xtask/src/models.rs`).
fn user_cache() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        Some(variable("HOME")?.join("Library").join("Caches"))
    } else if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else {
        variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))
    }
}

/// A folder from the environment. The empty text and relative paths count as not set: what they mean would
/// depend on where the program was started.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}
