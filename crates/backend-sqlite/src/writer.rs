//! The one connection that writes. Every write is a transaction that takes the write lock of the file at
//! its start, so that what it reads cannot be changed by another program before it writes.

use crate::error::{Doing, other};
use crate::open::BUSY_TIMEOUT;
use ports::{StoreError, StoreResult};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Row, Sqlite, SqliteConnection, Transaction};

/// What a committed write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The end of the process at any moment (`kill -9`): the data is in the operating system. For what can
    /// be made again: checkpoints, pieces of an answer, counters, vectors.
    ProcessEnd,
    /// Loss of power too: the log is flushed to the disk before the write is reported as done. For
    /// everything that a person is told is saved. A flush also covers all writes before it.
    PowerLoss,
}

/// The writing connection and the durability it is set to.
pub(crate) struct Writer {
    connection: Option<SqliteConnection>,
    /// How to connect again.
    options: SqliteConnectOptions,
    /// `None` while it is being changed.
    durability: Option<Durability>,
    /// Erased bytes may still be in the log.
    log_is_due: bool,
}

impl Writer {
    /// Takes over a connection that was opened with these options, `synchronous = FULL` among them.
    pub(crate) fn new(connection: SqliteConnection, options: SqliteConnectOptions) -> Self {
        Self {
            connection: Some(connection),
            options,
            durability: Some(Durability::PowerLoss),
            log_is_due: false,
        }
    }

    /// Begins a transaction that holds the write lock.
    pub(crate) async fn begin(
        &mut self,
        durability: Durability,
        doing: &'static str,
    ) -> StoreResult<Transaction<'_, Sqlite>> {
        self.mend(doing).await?;
        let Self {
            connection,
            durability: current,
            ..
        } = self;
        let connection = connection.as_mut().ok_or_else(|| closed(doing))?;
        if *current != Some(durability) {
            // `raw_sql`, because a cached statement would set the mode only when it is prepared.
            let pragma = match durability {
                Durability::ProcessEnd => "PRAGMA synchronous = NORMAL",
                Durability::PowerLoss => "PRAGMA synchronous = FULL",
            };
            // A caller may give up while it waits: then nobody knows the mode.
            *current = None;
            sqlx::raw_sql(pragma)
                .execute(&mut *connection)
                .await
                .doing(doing)?;
            *current = Some(durability);
        }
        connection.begin_with("BEGIN IMMEDIATE").await.doing(doing)
    }

    /// Connects again where the connection is of no use any more. On a full disk SQLite rolls a transaction
    /// back by itself; the rollback that sqlx then asks for fails, and sqlx believes for ever that the
    /// transaction is open.
    async fn mend(&mut self, doing: &'static str) -> StoreResult<()> {
        let connection = self.connection.as_mut().ok_or_else(|| closed(doing))?;
        // The answer comes after everything that was asked before, a rollback included.
        if connection.ping().await.is_ok() && !connection.is_in_transaction() {
            return Ok(());
        }
        let fresh = self.options.connect().await.doing(doing)?;
        self.durability = Some(Durability::PowerLoss);
        if let Some(old) = self.connection.replace(fresh) {
            // It is given up in any case.
            let _ = old.close().await;
        }
        Ok(())
    }

    /// A number that changes when another program has committed.
    pub(crate) async fn data_version(&mut self) -> StoreResult<i64> {
        const DOING: &str = "looking for changes of other programs";
        let connection = self.connection.as_mut().ok_or_else(|| closed(DOING))?;
        sqlx::query_scalar("PRAGMA data_version")
            .fetch_one(connection)
            .await
            .doing(DOING)
    }

    /// Moves everything from the log into the file and empties the log, so that erased bytes are nowhere. A program
    /// that is reading keeps the log in use; then it stays due, and [`Self::empty_log_if_due`] tries again.
    pub(crate) async fn empty_log(&mut self, doing: &'static str) -> StoreResult<()> {
        self.log_is_due = true;
        let connection = self.connection.as_mut().ok_or_else(|| closed(doing))?;
        // Whoever reads is not waited for: writes would stand still behind it.
        let wait = BUSY_TIMEOUT.as_millis();
        let sql = "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)";
        let rows = sqlx::raw_sql(sql).fetch_all(&mut *connection).await;
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("PRAGMA busy_timeout = {wait}")))
            .execute(&mut *connection)
            .await
            .doing(doing)?;
        // The last row is the answer of the checkpoint: its first column is 1 when somebody was in the way.
        let busy = match rows {
            Ok(rows) => rows
                .last()
                .and_then(|row| row.try_get::<i64, _>(0).ok())
                .is_none_or(|busy| busy != 0),
            Err(error) => match Err::<(), _>(error).doing(doing) {
                Err(StoreError::Busy { .. }) => true,
                Err(error) => return Err(error),
                Ok(()) => true,
            },
        };
        self.log_is_due = busy;
        if busy {
            tracing::info!("the log is being read; it is emptied as soon as it can be");
        }
        Ok(())
    }

    /// Empties the log when an earlier try found it in use. Returns whether it is empty by now.
    pub(crate) async fn empty_log_if_due(&mut self, doing: &'static str) -> StoreResult<bool> {
        if self.log_is_due {
            self.empty_log(doing).await?;
        }
        Ok(!self.log_is_due)
    }

    /// Closes the connection; later writes fail.
    pub(crate) async fn close(&mut self) {
        if let Some(connection) = self.connection.take() {
            // Nothing is lost when this fails: every commit is in the log already.
            let _ = connection.close().await;
        }
    }
}

fn closed(doing: &'static str) -> StoreError {
    other(doing, "the store is closed")
}
