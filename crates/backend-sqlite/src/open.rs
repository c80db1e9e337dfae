//! Opening the file: look before touching, then check, then migrate.

use crate::error::{Doing, other};
use ports::{StoreError, StoreResult};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection, SqlitePool};
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// The newest data version (`PRAGMA user_version`) that this app knows. It counts up only with a change
/// that older apps cannot live with; additive migrations leave it.
pub(crate) const DATA_VERSION: i64 = 1;

/// How long a write waits for another program's write. Far longer than any of our transactions takes.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(15);

/// Connections that read side by side: a search, a list and a chat at once, and one to spare.
const READERS_MAX: u32 = 4;

/// Length of the header of an SQLite file (<https://www.sqlite.org/fileformat.html#the_database_header>).
const HEADER_LENGTH: usize = 100;

/// Where `user_version` stands in the header: four bytes, big-endian.
const HEADER_USER_VERSION: usize = 60;

const OPENING: &str = "opening the database";

/// The connections of an open store.
pub(crate) struct Opened {
    pub(crate) writer: SqliteConnection,
    /// How the writer was opened.
    pub(crate) options: SqliteConnectOptions,
    pub(crate) readers: SqlitePool,
    pub(crate) watcher: SqliteConnection,
}

/// Opens or makes the database at `path`.
pub(crate) async fn open(path: &Path) -> StoreResult<Opened> {
    if let Some(folder) = path.parent() {
        tokio::fs::create_dir_all(folder)
            .await
            .doing("making the data folder")?;
    }
    if look_at_header(path).await? {
        check(path).await?;
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        // A list has a hundred rows; with the standard 50 the thread that reads and the one that waits take turns.
        .row_buffer_size(512)
        .pragma("secure_delete", "ON")
        // Pages kept in memory by a connection at most, in KiB when negative: tables and keyword index of some
        // 10 000 memories.
        .pragma("cache_size", "-32000")
        // The log does not stay large after one large write, in bytes.
        .pragma("journal_size_limit", "16777216")
        .disable_statement_logging();
    let mut writer = options.clone().connect().await.doing(OPENING)?;
    migrate(&mut writer).await?;
    let reading = options.clone().pragma("query_only", "ON");
    let readers = SqlitePoolOptions::new()
        .min_connections(1)
        .max_connections(READERS_MAX)
        .acquire_timeout(BUSY_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_with(reading.clone())
        .await
        .doing(OPENING)?;
    let watcher = reading.connect().await.doing(OPENING)?;
    Ok(Opened {
        writer,
        options,
        readers,
        watcher,
    })
}

/// Reads the first bytes without SQLite, so that a file that is not ours to open is not touched at all.
/// Returns whether there is a database.
async fn look_at_header(path: &Path) -> StoreResult<bool> {
    let mut file = match tokio::fs::File::open(path).await {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error).doing(OPENING),
    };
    let mut header = Vec::with_capacity(HEADER_LENGTH);
    (&mut file)
        .take(HEADER_LENGTH as u64)
        .read_to_end(&mut header)
        .await
        .doing(OPENING)?;
    if header.is_empty() {
        return Ok(false);
    }
    if header.len() < HEADER_LENGTH || !header.starts_with(b"SQLite format 3\0") {
        return Err(damaged("the file does not begin like a database"));
    }
    let version = header
        .get(HEADER_USER_VERSION..HEADER_USER_VERSION + 4)
        .and_then(|bytes| bytes.try_into().ok());
    refuse_newer(version.map(i32::from_be_bytes).unwrap_or_default().into())?;
    Ok(true)
}

/// Checks an existing database through a connection that cannot write, so that a damaged or newer file
/// stays as it is, together with its log.
pub(crate) async fn check(path: &Path) -> StoreResult<()> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging();
    let mut connection = options.connect().await.doing(OPENING)?;
    let version = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut connection)
        .await
        .doing(OPENING)?;
    refuse_newer(version)?;
    let report: Vec<String> = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_all(&mut connection)
        .await
        .doing(OPENING)?;
    connection.close().await.doing(OPENING)?;
    match report.into_iter().find(|line| line != "ok") {
        Some(line) => Err(damaged(line)),
        None => Ok(()),
    }
}

/// Brings the tables up to date. One transaction under the write lock: two programs that start at once
/// follow one another, and a killed migration leaves nothing behind.
async fn migrate(writer: &mut SqliteConnection) -> StoreResult<()> {
    const MIGRATING: &str = "bringing the database up to date";
    let mut migrator: Migrator = sqlx::migrate!("./migrations");
    // A migration of a newer app that we may live with: `user_version` has decided that already.
    migrator.set_ignore_missing(true);
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await.doing(OPENING)?;
    // Again under the lock: a newer app may have been faster.
    let version: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut *transaction)
        .await
        .doing(MIGRATING)?;
    refuse_newer(version)?;
    // `run` is generic over where a connection comes from, which keeps the compiler from seeing that opening may
    // move between threads.
    migrator
        .run_direct(None, &mut *transaction, false)
        .await
        .map_err(|error| match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => Err::<(), _>(error)
                .doing(MIGRATING)
                .err()
                .unwrap_or_else(|| other(MIGRATING, "no cause")),
            error => other(MIGRATING, error),
        })?;
    if version != DATA_VERSION {
        let pragma = format!("PRAGMA user_version = {DATA_VERSION}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(pragma))
            .execute(&mut *transaction)
            .await
            .doing(MIGRATING)?;
    }
    transaction.commit().await.doing(MIGRATING)
}

fn refuse_newer(found: i64) -> StoreResult<()> {
    if found > DATA_VERSION {
        Err(StoreError::Newer {
            found,
            known: DATA_VERSION,
        })
    } else {
        Ok(())
    }
}

fn damaged(reason: impl Into<ports::BoxError>) -> StoreError {
    StoreError::Damaged {
        doing: OPENING,
        source: reason.into(),
    }
}
