//! The one connection that writes. Every write is a transaction that takes the write lock of the file at
//! its start, so that what it reads cannot be changed by another program before it writes.

use crate::error::{Doing, other};
use ports::StoreResult;
use sqlx::{Connection, Sqlite, SqliteConnection, Transaction};

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
    durability: Durability,
}

impl Writer {
    /// Takes over a connection that was opened with `synchronous = FULL`.
    pub(crate) fn new(connection: SqliteConnection) -> Self {
        Self {
            connection: Some(connection),
            durability: Durability::PowerLoss,
        }
    }

    /// Begins a transaction that holds the write lock.
    pub(crate) async fn begin(
        &mut self,
        durability: Durability,
        doing: &'static str,
    ) -> StoreResult<Transaction<'_, Sqlite>> {
        let Self {
            connection,
            durability: current,
        } = self;
        let connection = connection.as_mut().ok_or_else(|| closed(doing))?;
        if *current != durability {
            // `raw_sql`, because a cached statement would set the mode only when it is prepared.
            let pragma = match durability {
                Durability::ProcessEnd => "PRAGMA synchronous = NORMAL",
                Durability::PowerLoss => "PRAGMA synchronous = FULL",
            };
            sqlx::raw_sql(pragma)
                .execute(&mut *connection)
                .await
                .doing(doing)?;
            *current = durability;
        }
        connection.begin_with("BEGIN IMMEDIATE").await.doing(doing)
    }

    /// Moves everything from the log into the file and empties the log, so that erased bytes are nowhere.
    pub(crate) async fn empty_log(&mut self, doing: &'static str) -> StoreResult<()> {
        let connection = self.connection.as_mut().ok_or_else(|| closed(doing))?;
        sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(connection)
            .await
            .doing(doing)?;
        Ok(())
    }

    /// Closes the connection; later writes fail.
    pub(crate) async fn close(&mut self) {
        if let Some(connection) = self.connection.take() {
            // Nothing is lost when this fails: every commit is in the log already.
            let _ = connection.close().await;
        }
    }
}

fn closed(doing: &'static str) -> ports::StoreError {
    other(doing, "the store is closed")
}
