//! Automatic backups of the database, and going back to one when the database is damaged.

use crate::open::database;
use crate::{Engine, EngineResult};
use memory_model::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How often a backup is made, in milliseconds: once a day.
const EVERY_MILLIS: i64 = 86_400_000;

/// One automatic backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct BackupView {
    /// The name of the file in the folder `backups` of the data folder.
    pub name: String,
    /// When it was made.
    pub at: Timestamp,
    /// Its size in bytes.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub bytes: u64,
}

impl From<backend_sqlite::Backup> for BackupView {
    fn from(backup: backend_sqlite::Backup) -> Self {
        Self {
            name: backup.name,
            at: backup.at,
            bytes: backup.bytes,
        }
    }
}

/// The automatic backups of a data folder, newest first. Works also when the database cannot be opened.
///
/// # Errors
/// When the folder cannot be read.
pub async fn list_backups(data_dir: &Path) -> EngineResult<Vec<BackupView>> {
    let backups = backend_sqlite::backups(&database(data_dir)).await?;
    Ok(backups.into_iter().map(BackupView::from).collect())
}

/// Puts a damaged database aside, under another name in the same folder, and the newest sound backup in its place.
/// The data must not be open.
///
/// # Errors
/// `NotFound` when there is no sound backup: nothing was changed then.
pub async fn restore_backup(data_dir: &Path) -> EngineResult<BackupView> {
    Ok(backend_sqlite::restore(&database(data_dir)).await?.into())
}

impl Engine {
    /// Makes a backup when the last one is older than a day.
    pub(crate) async fn backup_if_due(&self) -> EngineResult<()> {
        let now = self.inner.clock.now();
        let last = self.inner.store.backups().await?.first().map(|backup| backup.at);
        let due = last.is_none_or(|last| now.as_millis().abs_diff(last.as_millis()) >= EVERY_MILLIS as u64);
        if due {
            self.inner.store.back_up(now).await?;
        }
        Ok(())
    }
}
