//! Which programs work on a data folder right now.
//!
//! Each one holds the OS lock of a file of its own under `run/`. A lock that can be taken means that its holder is
//! gone, also after `kill -9`: the system frees it. So a turn that a dead program left can be told from one that
//! another window is working on.

#![expect(
    clippy::disallowed_methods,
    reason = "lock files are what this adapter is for"
)]

use crate::error::Doing;
use ports::StoreResult;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// This program, as others on the same data folder see it.
#[derive(Debug)]
pub struct Runner {
    id: String,
    folder: PathBuf,
    file: PathBuf,
    // Held until the program ends.
    lock: Option<File>,
}

/// Proof that another program is gone and that nobody else takes over its work.
#[derive(Debug)]
pub struct Lease {
    file: PathBuf,
    lock: Option<File>,
}

impl Runner {
    /// Registers this program.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn start(data_dir: &Path) -> StoreResult<Self> {
        let folder = data_dir.join("run");
        let doing = "registering this program";
        std::fs::create_dir_all(&folder).doing(doing)?;
        let id = uuid::Uuid::now_v7().to_string();
        let file = lock_file(&folder, &id);
        let lock = open(&file).doing(doing)?;
        lock.lock().doing(doing)?;
        Ok(Self {
            id,
            folder,
            file,
            lock: Some(lock),
        })
    }

    /// The id that turns of this program carry.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Takes over from another program, or from this one's own past; `None` while that program lives or somebody
    /// else takes over.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn take_over(&self, other: &str) -> StoreResult<Option<Lease>> {
        if other == self.id {
            return Ok(None);
        }
        let file = lock_file(&self.folder, other);
        let doing = "taking over from a program that ended";
        let lock = open(&file).doing(doing)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Lease {
                file,
                lock: Some(lock),
            })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).doing(doing),
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        remove(&self.file, self.lock.take());
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        remove(&self.file, self.lock.take());
    }
}

/// Removes a lock file while its lock is held, so that nobody locks a file that is going away.
fn remove(file: &Path, lock: Option<File>) {
    // A file that stays behind is taken over and removed by the next program that looks.
    let _ = std::fs::remove_file(file);
    drop(lock);
}

fn open(file: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(file)
}

/// Ids come from the database; anything but letters, digits and dashes stays out of the path.
fn lock_file(folder: &Path, id: &str) -> PathBuf {
    let safe: String = id
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    folder.join(format!("{safe}.lock"))
}
