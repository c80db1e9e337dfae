//! Copies of the database in the folder `backups` beside it, made with `VACUUM INTO`: sound, compact, and without a
//! byte of what was erased before.

use crate::error::Doing;
use crate::{SqliteStore, open};
use memory_model::Timestamp;
use ports::{StoreError, StoreResult};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::path::{Path, PathBuf};

/// Backups that are kept.
const BACKUPS_KEPT: usize = 3;

const DOING: &str = "backing the database up";

/// One backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The name of its file.
    pub name: String,
    /// When it was made.
    pub at: Timestamp,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The backups of a database, newest first.
///
/// # Errors
/// When the folder cannot be read.
pub async fn backups(database: &Path) -> StoreResult<Vec<Backup>> {
    let mut found = Vec::new();
    let mut entries = match tokio::fs::read_dir(folder(database)).await {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error).doing(DOING),
    };
    while let Some(entry) = entries.next_entry().await.doing(DOING)? {
        let name = entry.file_name().to_string_lossy().into_owned();
        let at = name
            .strip_prefix("reverie-")
            .and_then(|rest| rest.strip_suffix(".db")?.parse().ok());
        if let Some(at) = at {
            found.push(Backup {
                name,
                at: Timestamp::from_millis(at),
                bytes: entry.metadata().await.doing(DOING)?.len(),
            });
        }
    }
    found.sort_by_key(|backup| std::cmp::Reverse(backup.at));
    Ok(found)
}

/// Puts the newest sound backup in the place of a database that cannot be opened. The damaged file stays beside it,
/// with its log, under a name that says so.
///
/// # Errors
/// `NotFound` without a sound backup; nothing was changed then.
pub async fn restore(database: &Path) -> StoreResult<Backup> {
    const RESTORING: &str = "restoring a backup";
    for backup in backups(database).await? {
        let file = folder(database).join(&backup.name);
        if open::check(&file).await.is_err() {
            continue;
        }
        // First a whole copy beside the database, so that a failure half way leaves the old state.
        let fresh = beside(database, ".restored");
        tokio::fs::copy(&file, &fresh).await.doing(RESTORING)?;
        for suffix in ["", "-wal", "-shm"] {
            let old = beside(database, suffix);
            let aside = beside(database, &format!(".damaged-{}{suffix}", uuid::Uuid::now_v7()));
            match tokio::fs::rename(&old, &aside).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).doing(RESTORING);
                }
                _ => {}
            }
        }
        tokio::fs::rename(&fresh, database).await.doing(RESTORING)?;
        return Ok(backup);
    }
    Err(StoreError::NotFound { what: "sound backup" })
}

impl SqliteStore {
    /// The backups of this database, newest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub async fn backups(&self) -> StoreResult<Vec<Backup>> {
        backups(&self.inner.path).await
    }

    /// Makes a backup and removes the oldest beyond three.
    ///
    /// # Errors
    /// When the disk is full or the folder cannot be written.
    pub async fn back_up(&self, at: Timestamp) -> StoreResult<()> {
        let folder = folder(&self.inner.path);
        tokio::fs::create_dir_all(&folder).await.doing(DOING)?;
        let part = folder.join(format!("{}.part", uuid::Uuid::now_v7()));
        let copied = self.copy_to(&part).await;
        if copied.is_err() {
            // Half a backup is worse than none.
            let _ = tokio::fs::remove_file(&part).await;
        }
        copied?;
        let whole = folder.join(format!("reverie-{}.db", at.as_millis()));
        tokio::fs::rename(&part, &whole).await.doing(DOING)?;
        for old in self.backups().await?.into_iter().skip(BACKUPS_KEPT) {
            remove(&folder.join(old.name)).await?;
        }
        Ok(())
    }

    /// Removes every backup, because something that they hold was erased. Returns how many.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub async fn remove_backups(&self) -> StoreResult<u32> {
        let found = self.backups().await?;
        for backup in &found {
            remove(&folder(&self.inner.path).join(&backup.name)).await?;
        }
        Ok(u32::try_from(found.len()).unwrap_or(u32::MAX))
    }

    async fn copy_to(&self, file: &Path) -> StoreResult<()> {
        // A connection of its own: the copy takes a while, and nobody waits for it.
        let options = SqliteConnectOptions::new()
            .filename(&self.inner.path)
            .busy_timeout(open::BUSY_TIMEOUT)
            .disable_statement_logging();
        let mut connection = options.connect().await.doing(DOING)?;
        sqlx::query("VACUUM INTO ?")
            .bind(file.to_string_lossy().into_owned())
            .execute(&mut connection)
            .await
            .doing(DOING)?;
        connection.close().await.doing(DOING)
    }
}

/// Removes a file; one that another program removed first is gone too.
async fn remove(file: &Path) -> StoreResult<()> {
    match tokio::fs::remove_file(file).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).doing(DOING),
        _ => Ok(()),
    }
}

fn folder(database: &Path) -> PathBuf {
    database.parent().unwrap_or(Path::new(".")).join("backups")
}

/// The path of the database with something behind its name.
fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
