//! Errors of SQLite in the words of the ports: one variant for each thing a caller can do.

use ports::{BoxError, StoreError, StoreResult};
use std::io::ErrorKind;

/// Says what was being done when something failed.
pub(crate) trait Doing<T> {
    /// Turns the error into a [`StoreError`] that says what was being done, such as "reading memories".
    fn doing(self, doing: &'static str) -> StoreResult<T>;
}

impl<T> Doing<T> for Result<T, sqlx::Error> {
    fn doing(self, doing: &'static str) -> StoreResult<T> {
        self.map_err(|error| from_sqlx(error, doing))
    }
}

impl<T> Doing<T> for Result<T, std::io::Error> {
    fn doing(self, doing: &'static str) -> StoreResult<T> {
        self.map_err(|error| from_io(error, doing))
    }
}

/// What is stored is not what we wrote.
impl<T> Doing<T> for Result<T, serde_json::Error> {
    fn doing(self, doing: &'static str) -> StoreResult<T> {
        self.map_err(|error| StoreError::Damaged {
            doing,
            source: error.into(),
        })
    }
}

/// An error with words of our own as its cause.
pub(crate) fn other(doing: &'static str, reason: impl Into<BoxError>) -> StoreError {
    StoreError::Other {
        doing,
        source: reason.into(),
    }
}

fn from_sqlx(error: sqlx::Error, doing: &'static str) -> StoreError {
    let code = match &error {
        sqlx::Error::Database(database) => database.code().and_then(|code| code.parse::<i32>().ok()),
        sqlx::Error::PoolTimedOut => {
            return StoreError::Busy {
                doing,
                source: error.into(),
            };
        }
        sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } => {
            return StoreError::Damaged {
                doing,
                source: error.into(),
            };
        }
        sqlx::Error::Io(_) => None,
        _ => None,
    };
    match (code, error) {
        (Some(code), error) => from_code(code, error.into(), doing),
        (None, sqlx::Error::Io(error)) => from_io(error, doing),
        (None, error) => StoreError::Other {
            doing,
            source: error.into(),
        },
    }
}

/// Extended result codes of SQLite (<https://www.sqlite.org/rescode.html>); the low byte is the kind.
fn from_code(code: i32, source: BoxError, doing: &'static str) -> StoreError {
    /// `SQLITE_IOERR_SHMSIZE`: the file beside the database could not grow, which happens on a full disk.
    const IOERR_SHMSIZE: i32 = 4874;
    if code == IOERR_SHMSIZE {
        return StoreError::DiskFull { doing, source };
    }
    match code & 0xff {
        5 | 6 => StoreError::Busy { doing, source },
        // PERM, READONLY, CANTOPEN, AUTH. The folder exists when this is asked, so a file that cannot be
        // opened is one that may not be.
        3 | 8 | 14 | 23 => StoreError::ReadOnly { doing, source },
        11 | 26 => StoreError::Damaged { doing, source },
        13 => StoreError::DiskFull { doing, source },
        _ => StoreError::Other { doing, source },
    }
}

fn from_io(error: std::io::Error, doing: &'static str) -> StoreError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::DiskFull {
            doing,
            source: error.into(),
        },
        ErrorKind::PermissionDenied
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::NotADirectory
        // A file stands where the folder should be.
        | ErrorKind::AlreadyExists => {
            StoreError::ReadOnly {
                doing,
                source: error.into(),
            }
        }
        _ => StoreError::Other {
            doing,
            source: error.into(),
        },
    }
}
